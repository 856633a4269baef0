import assert from "node:assert/strict";
import { test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import type { Spelling } from "../../../test/support/oddDocuments.ts";
import { corrupt, damage, spell } from "../../../test/support/oddDocuments.ts";
import { Random } from "../../../test/support/random.ts";
import { firstSeed } from "../../../test/support/seed.ts";
import { SimulatedChain } from "../../../test/support/simulatedChain.ts";
import { decodeBlock } from "../block/block.ts";
import { toHex } from "../encoding/hex.ts";
import { checkBlock } from "../integrity/integrity.ts";
import { outlineBlock, scanBlock } from "./scanner.ts";
import { unpackBlock } from "./unpackBlock.ts";

const SEED = firstSeed();
const CASES = Number(process.env.ORIEL_CASES ?? 3000);

const chain = new SimulatedChain({ seed: SEED, traffic: { transactions: [1, 3], logs: [0, 3], withdrawals: [0, 2] } });
chain.mine(80);
const documents = Array.from(
  { length: 80 },
  (_, at) => [chain.wireBlock(at + 1)!, chain.wireReceipts(at + 1)!] as const,
);
const filled = documents.filter(([block]) => block.transactions.length > 0);

/** Decoded and checked from the bytes; undefined where that is left to the other decoder. */
function scanned(block: string, receipts: string) {
  const packed = scanBlock(Buffer.from(block), Buffer.from(receipts));
  if (packed === undefined) return undefined;
  const decoded = unpackBlock(packed);
  return { decoded, findings: checkBlock(decoded) };
}

function parsed(block: string, receipts: string) {
  const decoded = decodeBlock(JSON.parse(block), JSON.parse(receipts));
  return { decoded, findings: checkBlock(decoded) };
}

/** What the bytes gave is what the parsed documents give. Whether they gave anything. */
function agree(block: string, receipts: string, where: string): boolean {
  const found = scanned(block, receipts);
  if (found === undefined) return false;
  if (!isDeepStrictEqual(found, parsed(block, receipts))) {
    assert.deepEqual(found, parsed(block, receipts), where);
    assert.fail(where);
  }
  return true;
}

test("blocks of all types are scanned, however their JSON is written, and decode to what the parsed JSON does", () => {
  const random = new Random(SEED);
  const spellings: Spelling[] = [
    {},
    { spaced: true },
    { shuffled: true },
    { spaced: true, shuffled: true, upperCase: true },
  ];

  for (const [at, [block, receipts]] of documents.entries()) {
    for (const how of spellings) {
      const texts = [spell(block, random, how), spell(receipts, random, how)] as const;
      assert.ok(agree(...texts, `block ${at}, seed ${SEED}`), `block ${at} was not scanned, seed ${SEED}`);
    }
  }
  const types = new Set(
    chain.wireBlock(80) && documents.flatMap(([block]) => block.transactions.map(({ type }) => type)),
  );
  assert.deepEqual([...types].sort(), ["0x0", "0x1", "0x2", "0x3", "0x4"]);
});

test("what the scan verified needs no check, and a changed copy of the block is checked", () => {
  const [block, receipts] = filled[0]!;
  const { decoded, findings } = scanned(JSON.stringify(block), JSON.stringify(receipts))!;
  const changed = { ...decoded, header: { ...decoded.header, stateRoot: new Uint8Array(32) } };

  assert.deepEqual(findings.failed, []);
  assert.deepEqual(
    checkBlock(changed).failed.map(({ check }) => check),
    ["blockHash"],
  );
});

test("damaged documents are left to the other decoder, or decode to the same", () => {
  const random = new Random(SEED + 1);
  let isScanned = 0;

  for (let at = 0; at < CASES; at++) {
    const document = random.pick(filled);
    const changed = random.int(2);
    const how = { shuffled: random.chance(0.3), spaced: random.chance(0.2), upperCase: random.chance(0.1) };
    const isText = random.chance(0.5);
    const texts = document.map((part, index) => {
      if (index !== changed) return JSON.stringify(part);
      return isText ? corrupt(spell(part, random, how), random) : spell(damage(part, random), random, how);
    });
    if (agree(texts[0]!, texts[1]!, `case ${at}, seed ${SEED}`)) isScanned++;
  }
  assert.ok(isScanned > CASES / 10, `${isScanned} of ${CASES}`);
});

test("every cut of a block and of its receipts is refused", () => {
  const [block, receipts] = filled[0]!.map((part) => JSON.stringify(part)) as [string, string];
  const step = Math.max(1, Math.floor((block.length + receipts.length) / Math.min(CASES, 4000)));

  for (let end = 0; end < block.length; end += step) assert.equal(scanned(block.slice(0, end), receipts), undefined);
  for (let end = 0; end < receipts.length; end += step) assert.equal(scanned(block, receipts.slice(0, end)), undefined);
});

test("fields that must be there are not read as empty", () => {
  const [block, receipts] = filled.find(([, list]) => list.some(({ logs }) => logs.length > 0))!;
  const without = (key: string) => (name: string, value: unknown) => (name === key ? undefined : value);

  for (const key of ["logs", "logIndex", "topics", "transactionHash", "blockHash", "cumulativeGasUsed", "logsBloom"]) {
    const text = JSON.stringify(receipts, without(key));
    assert.equal(scanned(JSON.stringify(block), text), undefined, key);
  }
  for (const key of ["transactions", "hash", "stateRoot", "from", "input", "nonce", "r"]) {
    assert.equal(scanned(JSON.stringify(block, without(key)), JSON.stringify(receipts)), undefined, key);
  }
});

test("the outline of a block has its number and hash, in any order of keys", () => {
  const random = new Random(SEED + 2);

  for (const [block] of documents) {
    const text = spell(block, random, { shuffled: true, spaced: true });
    const { number, hash, isEmpty } = outlineBlock(Buffer.from(text))!;
    assert.deepEqual(
      [number, toHex(hash), isEmpty],
      [Number(block.number), block.hash, block.transactions.length === 0],
    );
  }
});

test("a large block leaves no memory behind, and the next ones are decoded", () => {
  const [block, receipts] = filled.find(([{ transactions }]) => transactions.length === 1)!;
  const before = process.memoryUsage().external;
  const large = {
    ...block,
    transactions: block.transactions.map((tx) => ({ ...tx, input: `0x${"ab".repeat(12 << 20)}` })),
  };

  const found = scanned(JSON.stringify(large), JSON.stringify(receipts));
  assert.equal(found?.decoded.transactions[0]?.input.length, 12 << 20);
  assert.ok(agree(JSON.stringify(block), JSON.stringify(receipts), "after"));
  assert.ok(process.memoryUsage().external < before + (200 << 20));
});
