import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Judgement, SampledBalance } from "./ledgerVerdict.ts";
import { judgeLedger } from "./ledgerVerdict.ts";

const NEW: Judgement = { ledger: "unknown", differing: [] };

const balance = (holder: number, ledger: bigint, reported: bigint | null | undefined): SampledBalance => ({
  holder,
  ledger,
  reported,
});

function judge(
  balances: SampledBalance[],
  supplies: [ledger: bigint, reported: bigint | null],
  before = NEW,
): Judgement {
  return judgeLedger({ balances, ledgerSupply: supplies[0], reportedSupply: supplies[1] }, before);
}

describe("classifies differences", () => {
  for (const [what, balances, supplies, expected] of [
    ["all agree", [balance(1, 5n, 5n), balance(2, 3n, 3n)], [8n, 8n], "agrees"],
    ["all agree but the supply", [balance(1, 5n, 5n)], [5n, 9n], "agrees"],
    ["all and the supply have grown", [balance(1, 10n, 11n), balance(2, 20n, 22n)], [30n, 33n], "rebasing"],
    ["all and the supply have shrunk", [balance(1, 10n, 9n), balance(2, 20n, 18n)], [30n, 27n], "rebasing"],
    ["all have grown but the supply", [balance(1, 10n, 11n), balance(2, 20n, 22n)], [30n, 30n], "differs"],
    ["some have grown", [balance(1, 10n, 11n), balance(2, 20n, 20n)], [30n, 31n], "differs"],
    ["some have less", [balance(1, 10n, 9n), balance(2, 20n, 20n)], [30n, 29n], "fee_on_transfer"],
    ["all have less of the same supply", [balance(1, 10n, 9n), balance(2, 20n, 19n)], [30n, 30n], "fee_on_transfer"],
    ["one has less, one more", [balance(1, 10n, 9n), balance(2, 20n, 21n)], [30n, 30n], "differs"],
    ["the only one has more", [balance(1, 10n, 11n)], [10n, 11n], "differs"],
    ["the supply is not reported", [balance(1, 10n, 11n), balance(2, 20n, 22n)], [30n, null], "differs"],
    ["far above what a double holds", [balance(1, 1n, 2n ** 256n - 1n)], [1n, 1n], "differs"],
  ] as const) {
    test(what, () => {
      assert.equal(judge([...balances], [...supplies]).ledger, expected);
    });
  }
});

test("a missing balance counts neither as a difference nor as agreement", () => {
  assert.deepEqual(judge([balance(1, 5n, null), balance(2, 5n, undefined)], [10n, 10n]), NEW);
  assert.deepEqual(judge([], [10n, 11n]), NEW);
  assert.equal(judge([balance(1, 5n, null), balance(2, 5n, 5n)], [10n, 10n]).ledger, "agrees");
});

test("a label goes when every holder that differed agrees, and not before", () => {
  const before: Judgement = { ledger: "rebasing", differing: [1, 2] };
  const agreeing = balance(1, 5n, 5n);

  assert.deepEqual(judge([agreeing, balance(3, 1n, 1n)], [9n, 9n], before), before);
  assert.deepEqual(judge([agreeing, balance(2, 0n, null)], [9n, 9n], before), before);
  assert.deepEqual(judge([agreeing, balance(2, 0n, 0n)], [9n, 9n], before), { ledger: "agrees", differing: [] });
  assert.deepEqual(judge([agreeing, balance(2, 3n, 2n)], [9n, 9n], before), {
    ledger: "fee_on_transfer",
    differing: [2, 1],
  });
});

test("a few holders are remembered, the newest first", () => {
  const many = Array.from({ length: 12 }, (_, holder) => balance(holder, 5n, 6n));

  const { differing } = judge(many, [5n, 6n], { ledger: "differs", differing: [99] });

  assert.deepEqual(differing, [0, 1, 2, 3, 4, 5, 6, 7]);
});
