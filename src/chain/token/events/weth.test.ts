import assert from "node:assert/strict";
import { test } from "node:test";
import { fc } from "../../../../test/support/fastCheck.ts";
import { address, tokenLog, word, ZERO } from "../../../../test/support/tokenLogs.ts";
import { decodeWeth } from "./weth.ts";

const PLACE = { logIndex: 5, transactionIndex: 2 };
const ALICE = address(0xa1);

test("a Deposit mints to its address", () => {
  const log = tokenLog("deposit", [ALICE], [word(1000)]);

  assert.deepEqual(decodeWeth(log, PLACE), {
    kind: "ERC-20",
    token: log.address,
    from: ZERO,
    to: ALICE,
    amount: word(1000),
    ...PLACE,
    isWrap: true,
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
    isWrap: true,
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

test("random topics and data never throw", () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 32 }), { maxLength: 3 }), fc.uint8Array(), (topics, data) => {
      decodeWeth(tokenLog("deposit", topics, [data]), PLACE);
      decodeWeth(tokenLog("withdrawal", topics, [data]), PLACE);
    }),
  );
});
