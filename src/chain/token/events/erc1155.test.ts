import assert from "node:assert/strict";
import { test } from "node:test";
import { fc } from "../../../../test/support/fastCheck.ts";
import { address, encodeArrays, tokenLog, word } from "../../../../test/support/tokenLogs.ts";
import type { Bytes } from "../../encoding/bytes.ts";
import { decodeErc1155, MAX_BATCH } from "./erc1155.ts";

const PLACE = { logIndex: 5, transactionIndex: 2 };
const [OPERATOR, ALICE, BOB] = [address(0x09), address(0xa1), address(0xb0)];
const PARTIES = [OPERATOR, ALICE, BOB];
const words = fc.array(fc.uint8Array({ minLength: 32, maxLength: 32 }), { maxLength: 20 });

const batch = (data: readonly Bytes[]) => decodeErc1155(tokenLog("transferBatch", PARTIES, data), PLACE);
const pairs = (data: readonly Bytes[]) => batch(data).map(({ tokenId, amount }) => [tokenId, amount]);

test("a TransferSingle moves an amount of one id", () => {
  const log = tokenLog("transferSingle", PARTIES, [word(7), word(1000)]);

  assert.deepEqual(decodeErc1155(log, PLACE), [
    {
      kind: "ERC-1155",
      token: log.address,
      from: ALICE,
      to: BOB,
      tokenId: word(7),
      amount: word(1000),
      ...PLACE,
    },
  ]);
});

test("a TransferBatch is one transfer for each id, in its order", () => {
  const data = encodeArrays([word(7), word(3), word(7)], [word(1), word(2), word(0)]);

  assert.deepEqual(pairs(data), [
    [word(7), word(1)],
    [word(3), word(2)],
    [word(7), word(0)],
  ]);
  assert.ok(batch(data).every(({ from, to, logIndex }) => from[0] === 0xa1 && to[0] === 0xb0 && logIndex === 5));
});

test("an empty batch moves nothing", () => {
  assert.deepEqual(batch(encodeArrays([], [])), []);
});

test("arrays may lie anywhere in the data, even both in one location or off the grid of words", () => {
  const shared = [word(64), word(64), word(1), word(9)];
  const swapped = [word(128), word(64), word(1), word(2), word(1), word(9)];
  const shifted = [word(65), word(65), new Uint8Array(1), word(1), word(9)];

  assert.deepEqual(pairs(shared), [[word(9), word(9)]]);
  assert.deepEqual(pairs(swapped), [[word(9), word(2)]]);
  assert.deepEqual(pairs(shifted), [[word(9), word(9)]]);
});

test("offsets and lengths beyond the data are ignored, however large", () => {
  const huge = new Uint8Array(32).fill(0xff);
  const wrapping = [2 ** 32, 2 ** 32 + 64, 2 ** 47].map(word);
  const high = new Uint8Array(32).fill(1, 0, 1);

  for (const bad of [huge, high, ...wrapping, word(2 ** 31), word(2 ** 32 - 32), word(161), word(192)]) {
    assert.deepEqual(batch([bad, word(128), word(1), word(7), word(1), word(9)]), [], "offset of ids");
    assert.deepEqual(batch([word(64), bad, word(1), word(7), word(1), word(9)]), [], "offset of amounts");
    assert.deepEqual(batch([word(64), word(128), bad, word(7), word(1), word(9)]), [], "count of ids");
    assert.deepEqual(batch([word(64), word(128), word(1), word(7), bad, word(9)]), [], "count of amounts");
    assert.deepEqual(batch([word(64), word(64), bad, word(7), word(1), word(9)]), [], "both counts");
  }
});

test("arrays of different lengths are ignored", () => {
  assert.deepEqual(batch(encodeArrays([word(1), word(2)], [word(1)])), []);
  assert.deepEqual(batch(encodeArrays([], [word(1)])), []);
});

test("a batch has at most 10,000 ids", () => {
  const ids = (count: number) => Array.from({ length: count }, (_, i) => word(i));

  assert.equal(batch(encodeArrays(ids(MAX_BATCH), ids(MAX_BATCH))).length, 10_000);
  assert.deepEqual(batch(encodeArrays(ids(MAX_BATCH + 1), ids(MAX_BATCH + 1))), []);
});

test("logs with other topics or data are not of an ERC-1155", () => {
  const wide = new Uint8Array(32).fill(1);
  const single = [word(7), word(1)];
  const arrays = encodeArrays([word(7)], [word(1)]);

  for (const log of [
    tokenLog("transferSingle", PARTIES, [word(7)]),
    tokenLog("transferSingle", PARTIES, [word(7), word(1), word(1)]),
    tokenLog("transferSingle", PARTIES, [word(7), word(1).subarray(1)]),
    tokenLog("transferSingle", [OPERATOR, ALICE], [word(BOB), ...single]),
    ...[0, 1, 2].flatMap((at) => [
      tokenLog("transferSingle", PARTIES.with(at, wide), single),
      tokenLog("transferBatch", PARTIES.with(at, wide), arrays),
    ]),
    tokenLog("transferBatch", PARTIES),
    tokenLog("transferBatch", [OPERATOR, ALICE], arrays),
    tokenLog("transfer", PARTIES, single),
  ]) {
    assert.deepEqual(decodeErc1155(log, PLACE), []);
  }
});

test("batches of any ids and amounts are decoded as they were encoded", () => {
  fc.assert(
    fc.property(words, (ids) => {
      const amounts = ids.toReversed();

      assert.deepEqual(
        pairs(encodeArrays(ids, amounts)),
        ids.map((id, at) => [id, amounts[at]!]),
      );
    }),
  );
});

test("a batch cut short at any byte is ignored", () => {
  fc.assert(
    fc.property(words, fc.nat(), (ids, cut) => {
      const data = Buffer.concat(encodeArrays(ids, ids));

      assert.deepEqual(batch([data.subarray(0, cut % data.length)]), []);
    }),
  );
});

test("random bytes never throw, nor give more transfers than they have words", () => {
  const small = fc.nat({ max: 300 }).map(word);
  const chunk = fc.oneof(small, small, fc.uint8Array({ maxLength: 40 }));
  fc.assert(
    fc.property(fc.array(chunk, { maxLength: 12 }), (data) => {
      assert.ok(batch(data).length * 32 <= Buffer.concat(data).length);
      decodeErc1155(tokenLog("transferSingle", PARTIES, data), PLACE);
    }),
    { numRuns: 1000 },
  );
});
