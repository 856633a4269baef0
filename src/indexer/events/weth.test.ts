import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { address, tokenLog, word, ZERO } from "../../../test/support/tokenLogs.ts";
import { decodeWeth, repeats } from "./weth.ts";

const PLACE = { logIndex: 5, transactionIndex: 2 };
const [ALICE, BOB] = [address(0xa1), address(0xb0)];

test("a Deposit mints to its address", () => {
  const log = tokenLog("deposit", [ALICE], [word(1000)]);

  assert.deepEqual(decodeWeth(log, PLACE), {
    kind: "ERC-20",
    token: log.address,
    from: ZERO,
    to: ALICE,
    amount: word(1000),
    ...PLACE,
  });
});

test("a Withdrawal burns from its address", () => {
  const log = tokenLog("withdrawal", [ALICE], [word(1000)]);

  assert.deepEqual(decodeWeth(log, PLACE), {
    kind: "ERC-20",
    token: log.address,
    from: ALICE,
    to: ZERO,
    amount: word(1000),
    ...PLACE,
  });
});

test("logs with other topics or data are not of a WETH", () => {
  for (const event of ["deposit", "withdrawal"] as const) {
    for (const log of [
      tokenLog(event, [], [word(ALICE), word(7)]),
      tokenLog(event, [ALICE, word(7)]),
      tokenLog(event, [ALICE, word(7)], [word(7)]),
      tokenLog(event, [ALICE]),
      tokenLog(event, [ALICE], [word(7).subarray(1)]),
      tokenLog(event, [ALICE], [word(7), word(7)]),
      tokenLog(event, [new Uint8Array(21).fill(1)], [word(7)]),
    ]) {
      assert.equal(decodeWeth(log, PLACE), undefined);
    }
  }
});

test("a Transfer of the same token, party and amount repeats a Deposit or a Withdrawal", () => {
  const deposit = decodeWeth(tokenLog("deposit", [ALICE], [word(7)]), PLACE)!;
  const withdrawal = decodeWeth(tokenLog("withdrawal", [ALICE], [word(7)]), PLACE)!;
  const mint = tokenLog("transfer", [ZERO, ALICE], [word(7)]);
  const burn = tokenLog("transfer", [ALICE, ZERO], [word(7)]);

  assert.ok(repeats(deposit, mint) && !repeats(deposit, burn));
  assert.ok(repeats(withdrawal, burn) && !repeats(withdrawal, mint));
});

test("what differs in token, party or amount, or is no Transfer, repeats nothing", () => {
  const deposit = decodeWeth(tokenLog("deposit", [ALICE], [word(7)]), PLACE)!;

  for (const beside of [
    undefined,
    { ...tokenLog("transfer", [ZERO, ALICE], [word(7)]), address: BOB },
    tokenLog("transfer", [ZERO, BOB], [word(7)]),
    tokenLog("transfer", [BOB, ALICE], [word(7)]),
    tokenLog("transfer", [ZERO, ALICE], [word(8)]),
    tokenLog("transfer", [ZERO, ALICE, word(7)]),
    tokenLog("deposit", [ALICE], [word(7)]),
  ]) {
    assert.equal(repeats(deposit, beside), false);
  }
});

test("random topics and data never throw", () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 32 }), { maxLength: 3 }), fc.uint8Array(), (topics, data) => {
      decodeWeth(tokenLog("deposit", topics, [data]), PLACE);
      decodeWeth(tokenLog("withdrawal", topics, [data]), PLACE);
    }),
  );
});
