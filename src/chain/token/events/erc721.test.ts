import assert from "node:assert/strict";
import { test } from "node:test";
import { fc } from "../../../../test/support/fastCheck.ts";
import { address, tokenLog, word, ZERO } from "../../../../test/support/tokenLogs.ts";
import { decodeErc721 } from "./erc721.ts";

const PLACE = { logIndex: 5, transactionIndex: 2 };
const [ALICE, BOB] = [address(0xa1), address(0xb0)];

test("a Transfer with an indexed id moves one ERC-721", () => {
  const id = new Uint8Array(32).fill(0xff);
  const log = tokenLog("transfer", [ALICE, BOB, id]);

  assert.deepEqual(decodeErc721(log, PLACE), {
    kind: "ERC-721",
    token: log.address,
    from: ALICE,
    to: BOB,
    tokenId: id,
    amount: word(1),
    ...PLACE,
  });
});

test("a mint comes from the zero address, and id 0 is an id", () => {
  const transfer = decodeErc721(tokenLog("transfer", [ZERO, BOB, word(0)]), PLACE);

  assert.deepEqual(transfer?.from, ZERO);
  assert.deepEqual(transfer?.tokenId, word(0));
});

test("Transfers with other topics or data are not of an ERC-721", () => {
  for (const log of [
    tokenLog("transfer", [ALICE, BOB], [word(7)]),
    tokenLog("transfer", [ALICE, BOB, word(7)], [word(7)]),
    tokenLog("transfer", [ALICE, BOB, word(7)], [new Uint8Array(1)]),
    tokenLog("transfer", [], [word(ALICE), word(BOB), word(7)]),
    tokenLog("transfer", [new Uint8Array(32).fill(1), BOB, word(7)]),
    tokenLog("transfer", [ALICE, new Uint8Array(32).fill(1), word(7)]),
    tokenLog("transferSingle", [ALICE, BOB, BOB]),
  ]) {
    assert.equal(decodeErc721(log, PLACE), undefined);
  }
});

test("what was encoded is decoded, whatever the addresses and the id", () => {
  const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length });
  fc.assert(
    fc.property(bytes(20), bytes(20), bytes(32), (from, to, id) => {
      const transfer = decodeErc721(tokenLog("transfer", [from, to, id]), PLACE)!;

      assert.deepEqual([transfer.from, transfer.to, transfer.tokenId], [from, to, id]);
    }),
  );
});
