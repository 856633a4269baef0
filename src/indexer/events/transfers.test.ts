import assert from "node:assert/strict";
import { test } from "node:test";
import { fc } from "../../../test/support/fastCheck.ts";
import { address, encodeArrays, TOPICS, tokenLog, word, ZERO } from "../../../test/support/tokenLogs.ts";
import type { Log } from "../../chain/block/receipt.ts";
import { fromHex } from "../../chain/encoding/hex.ts";
import { transfersOf } from "./transfers.ts";

const [ALICE, BOB] = [address(0xa1), address(0xb0)];
const APPROVAL = fromHex("0x8c5be1e5ebec7d5bd14f71427d1e84f3dd0314c0f7b2291e5b200ac8c7c3b925");

const approval: Log = { ...tokenLog("transfer", [ALICE, BOB], [word(5)]), topics: APPROVAL };
const fungible = tokenLog("transfer", [ALICE, BOB], [word(5)]);
const deposit = tokenLog("deposit", [ALICE], [word(5)]);
const withdrawal = tokenLog("withdrawal", [ALICE], [word(5)]);
const mint = tokenLog("transfer", [ZERO, ALICE], [word(5)]);
const burn = tokenLog("transfer", [ALICE, ZERO], [word(5)]);

const transfers = (...transactions: Log[][]) => transfersOf({ receipts: transactions.map((logs) => ({ logs })) });
const places = (...transactions: Log[][]) =>
  transfers(...transactions).map(({ kind, transactionIndex, logIndex }) => `${kind} ${transactionIndex} ${logIndex}`);

test("a block's transfers come in chain order, placed by where their logs stand", () => {
  const unique = tokenLog("transfer", [ALICE, BOB, word(1)]);
  const batch = tokenLog("transferBatch", [BOB, ALICE, BOB], encodeArrays([word(1), word(2)], [word(1), word(1)]));

  assert.deepEqual(places([fungible, approval], [], [unique, batch, fungible], [deposit]), [
    "ERC-20 0 0",
    "ERC-721 2 2",
    "ERC-1155 2 3",
    "ERC-1155 2 3",
    "ERC-20 2 4",
    "ERC-20 3 5",
  ]);
});

test("a block without logs has no transfers", () => {
  assert.deepEqual(transfers(), []);
  assert.deepEqual(transfers([], []), []);
});

test("a Transfer that says the same as a Deposit or Withdrawal is counted once, wherever in the transaction it is", () => {
  assert.deepEqual(places([deposit, mint]), ["ERC-20 0 1"]);
  assert.deepEqual(places([mint, deposit]), ["ERC-20 0 0"]);
  assert.deepEqual(places([withdrawal, burn]), ["ERC-20 0 1"]);
  assert.deepEqual(places([burn, approval, fungible, withdrawal]), ["ERC-20 0 0", "ERC-20 0 2"]);
  assert.deepEqual(places([deposit, approval, approval, mint]), ["ERC-20 0 3"]);
});

test("one Transfer stands for one Deposit", () => {
  assert.deepEqual(places([deposit, mint, deposit, mint]), ["ERC-20 0 1", "ERC-20 0 3"]);
  assert.deepEqual(places([deposit, deposit, approval, mint]), ["ERC-20 0 1", "ERC-20 0 3"]);
  assert.deepEqual(places([mint, mint, deposit]), ["ERC-20 0 0", "ERC-20 0 1"]);
});

test("a Transfer of another token, party, amount or standard, or in another transaction, repeats nothing", () => {
  for (const other of [
    { ...mint, address: BOB },
    tokenLog("transfer", [ZERO, BOB], [word(5)]),
    tokenLog("transfer", [BOB, ALICE], [word(5)]),
    tokenLog("transfer", [ZERO, ALICE], [word(6)]),
    tokenLog("transfer", [ZERO, ALICE, word(5)]),
    burn,
    deposit,
  ])
    assert.equal(transfers([deposit, other]).length, 2);
  assert.equal(transfers([deposit], [mint]).length, 2);
});

test("what may be a wrap is marked, and nothing else is", () => {
  assert.deepEqual(
    transfers([deposit, fungible, withdrawal]).map(({ isWrap }) => isWrap),
    [true, undefined, true],
  );
});

test("logs of the system address move the coin, and are no transfers of a token", () => {
  const system = fromHex("0xfffffffffffffffffffffffffffffffffffffffe");
  const unique = tokenLog("transfer", [ALICE, BOB, word(1)]);

  assert.deepEqual(transfers([fungible, unique, mint, deposit].map((log) => ({ ...log, address: system }))), []);
  assert.equal(transfers([{ ...fungible, address: system.with(19, 0xff) }]).length, 1);
  assert.equal(transfers([{ ...fungible, address: system.with(7, 0xfe) }]).length, 1);
});

test("matching many wraps with many Transfers takes linear time", () => {
  const many = Array.from({ length: 20_000 }, (_, at) => [
    tokenLog("deposit", [ALICE], [word(at)]),
    tokenLog("transfer", [ZERO, ALICE], [word(at + 10_000)]),
  ]).flat();

  assert.equal(transfers(many).length, 30_000);
});

test("a Deposit that is passed on at once is a mint and a transfer", () => {
  assert.deepEqual(
    transfers([deposit, fungible]).map(({ from, to }) => [from[0], to[0]]),
    [
      [0, 0xa1],
      [0xa1, 0xb0],
    ],
  );
});

test("logs of random bytes after known signatures never throw, and what they give is well formed", () => {
  const hash = fc.constantFrom(...Object.values(TOPICS)).map(fromHex);
  const topic = fc.oneof(fc.uint8Array({ maxLength: 20 }).map(word), fc.uint8Array({ maxLength: 33 }));
  const log = fc.record({
    address: fc.constant(ALICE),
    topics: fc.tuple(hash, fc.array(topic, { maxLength: 3 })).map(([first, rest]) => Buffer.concat([first, ...rest])),
    data: fc.oneof(fc.constantFrom(0, 32, 64, 160, 192), fc.nat({ max: 200 })).map((length) => new Uint8Array(length)),
    logIndex: fc.nat(),
  });
  fc.assert(
    fc.property(fc.array(fc.array(log)), (transactions) => {
      for (const { from, to, amount, tokenId, kind } of transfers(...transactions)) {
        assert.deepEqual([from.length, to.length, amount.length], [20, 20, 32]);
        assert.equal(tokenId?.length, kind === "ERC-20" ? undefined : 32);
      }
    }),
  );
});
