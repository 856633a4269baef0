import assert from "node:assert/strict";
import { test } from "node:test";
import type { DueToken } from "../../store/stages/tokens/read/dueTokens.ts";
import type { TokenObservation } from "../../store/stages/tokens/tables/observation.ts";
import { observe } from "./observation.ts";

const AT = { number: 7, hash: new Uint8Array(32) };

/** Stored state after a token reported these supplies in turn, with those ledger sums. */
function supplies(reported: readonly (bigint | null | undefined)[], ledger: readonly bigint[]) {
  let before: TokenObservation | undefined;
  for (const [at, totalSupply] of reported.entries()) {
    const due = { token: 1, before, state: { supply: ledger[at]! }, holdings: [] } as unknown as DueToken;
    const answers = { name: undefined, symbol: undefined, decimals: undefined, totalSupply, balances: [] };
    before = observe(due, answers, AT).observation;
  }
  return [before!.totalSupply, before!.ledgerSupply];
}

test("later transfers count from the last supply as long as both have moved as one", () => {
  assert.deepEqual(supplies([10n], [4n]), [10n, 4n]);
  assert.deepEqual(supplies([10n, 13n], [4n, 7n]), [13n, 7n]);
  assert.deepEqual(supplies([10n, undefined], [4n, 7n]), [10n, 4n]);
  assert.deepEqual(supplies([10n, undefined, 15n], [4n, 7n, 9n]), [15n, 9n]);
  assert.deepEqual(supplies([10n, null, 20n], [4n, 7n, 8n]), [20n, 8n]);
});

test("a supply that transfers do not explain is what the token says, from then on", () => {
  assert.deepEqual(supplies([10n, 10n], [4n, 7n]), [10n, null]);
  assert.deepEqual(supplies([10n, 10n, 10n], [4n, 7n, 7n]), [10n, null]);
  assert.deepEqual(supplies([10n, 10n, 12n], [4n, 7n, 9n]), [12n, null]);
});
