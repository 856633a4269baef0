import assert from "node:assert/strict";
import { test } from "node:test";
import { fc } from "../../../../test/support/fastCheck.ts";
import { address, TOPICS, tokenLog, word, ZERO } from "../../../../test/support/tokenLogs.ts";
import { fromHex } from "../../encoding/hex.ts";
import { decodeErc20 } from "./erc20.ts";

const PLACE = { logIndex: 5, transactionIndex: 2 };
const [ALICE, BOB] = [address(0xa1), address(0xb0)];

test("a Transfer with two indexed addresses moves the amount of an ERC-20", () => {
  const log = tokenLog("transfer", [ALICE, BOB], [word(1000)]);

  assert.deepEqual(decodeErc20(log, PLACE), {
    kind: "ERC-20",
    token: log.address,
    from: ALICE,
    to: BOB,
    amount: word(1000),
    ...PLACE,
  });
});

test("the bytes of a transfer are views into its log", () => {
  const log = tokenLog("transfer", [ZERO, BOB], [word(1)]);

  const transfer = decodeErc20(log, PLACE)!;

  assert.equal(transfer.token, log.address);
  assert.equal(transfer.amount.buffer, log.data.buffer);
  assert.equal(transfer.from.buffer, log.topics.buffer);
  assert.equal(transfer.to.buffer, log.topics.buffer);
});

test("any amount is taken, up to 2^256 - 1", () => {
  const amount = new Uint8Array(32).fill(0xff);

  assert.deepEqual(decodeErc20(tokenLog("transfer", [ALICE, BOB], [amount]), PLACE)?.amount, amount);
});

test("Transfers with other topics or data are not of an ERC-20", () => {
  const kitties = tokenLog("transfer", [], [word(ALICE), word(BOB), word(7)]);
  const wide = new Uint8Array(21).fill(1);

  for (const log of [
    kitties,
    tokenLog("transfer", [ALICE], [word(BOB), word(7)]),
    tokenLog("transfer", [ALICE, BOB, word(7)]),
    tokenLog("transfer", [ALICE, BOB, word(7)], [word(7)]),
    tokenLog("transfer", [ALICE, BOB]),
    tokenLog("transfer", [ALICE, BOB], [word(7).subarray(1)]),
    tokenLog("transfer", [ALICE, BOB], [word(7), word(7)]),
    tokenLog("transfer", [wide, BOB], [word(7)]),
    tokenLog("transfer", [ALICE, wide], [word(7)]),
    { ...tokenLog("transfer", [ALICE, BOB], [word(7)]), topics: new Uint8Array(0) },
  ]) {
    assert.equal(decodeErc20(log, PLACE), undefined);
  }
});

test("a signature that differs in any byte is another event", () => {
  for (let at = 0; at < 32; at++) {
    const log = tokenLog("transfer", [ALICE, BOB], [word(7)]);
    log.topics[at]! ^= 1;

    assert.equal(decodeErc20(log, PLACE), undefined, `byte ${at}`);
  }
});

test("a bit set before an address in a topic makes it none", () => {
  fc.assert(
    fc.property(fc.constantFrom(32, 64), fc.nat({ max: 11 }), fc.integer({ min: 1, max: 255 }), (topic, at, bits) => {
      const log = tokenLog("transfer", [ALICE, BOB], [word(7)]);
      log.topics[topic + at] = bits;

      assert.equal(decodeErc20(log, PLACE), undefined);
    }),
  );
});

test("random bytes after the signature never throw", () => {
  const bytes = fc.uint8Array({ maxLength: 130 });
  fc.assert(
    fc.property(bytes, bytes, (rest, data) => {
      const topics = Buffer.concat([fromHex(TOPICS.transfer), rest]);

      decodeErc20({ address: ALICE, topics, data, logIndex: 0 }, PLACE);
    }),
  );
});
