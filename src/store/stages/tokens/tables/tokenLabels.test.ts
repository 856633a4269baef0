import assert from "node:assert/strict";
import { test } from "node:test";
import { isInconsistent, labelsOf } from "./tokenLabels.ts";
import type { TokenState } from "./tokenState.ts";
import { NO_TOKEN } from "./tokenState.ts";

const state = (change: Partial<TokenState>): TokenState => ({ ...NO_TOKEN, kinds: ["ERC-20"], ...change });

test("a ledger is inconsistent when anybody has less than nothing, or all have more than 256 bits", () => {
  assert.equal(isInconsistent(state({ supply: 2n ** 256n - 1n, holders: 3 })), false);
  assert.equal(isInconsistent(state({ supply: 0n })), false);
  assert.equal(isInconsistent(state({ supply: 2n ** 256n })), true);
  assert.equal(isInconsistent(state({ supply: -1n })), true);
  assert.equal(isInconsistent(state({ supply: 100n, holders: 2, debtors: 1 })), true);
});

test("labels say what the ledger is and how it differs", () => {
  assert.deepEqual(labelsOf(state({}), { ledger: undefined, isComplete: true }), []);
  assert.deepEqual(labelsOf(state({}), { ledger: "agrees", isComplete: true }), []);
  assert.deepEqual(labelsOf(state({}), { ledger: "differs", isComplete: true }), ["ledger_differs"]);
  assert.deepEqual(labelsOf(state({}), { ledger: "rebasing", isComplete: true }), ["ledger_differs", "rebasing"]);
  assert.deepEqual(labelsOf(state({ debtors: 1 }), { ledger: "fee_on_transfer", isComplete: true }), [
    "inconsistent",
    "ledger_differs",
    "fee_on_transfer",
  ]);
});
