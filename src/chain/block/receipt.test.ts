import assert from "node:assert/strict";
import { test } from "node:test";
import { MerklePatriciaTrie } from "@ethereumjs/mpt";
import type { NestedUint8Array } from "@ethereumjs/rlp";
import { RLP } from "@ethereumjs/rlp";
import { SimulatedChain } from "../../../test/support/simulatedChain.ts";
import type { WireObject, WireReceipt } from "../../../test/support/wireForm.ts";
import { fromHex, toHex } from "../encoding/hex.ts";
import { decodeBlock, receiptsRoot } from "./block.ts";

const REFUSED = { code: "upstream_invalid" };

function encoded(wire: WireReceipt): Uint8Array {
  const logs = wire.logs.map((log) => [
    fromHex(String(log.address)),
    (log.topics as string[]).map(fromHex),
    fromHex(String(log.data)),
  ]);
  const outcome = wire.root === undefined ? BigInt(String(wire.status)) : fromHex(String(wire.root));
  const body = RLP.encode([
    outcome,
    BigInt(String(wire.cumulativeGasUsed)),
    fromHex(String(wire.logsBloom)),
    logs as NestedUint8Array,
  ]);
  const type = Number(wire.type);
  return type === 0 ? body : Buffer.concat([Uint8Array.of(type), body]);
}

async function rootOf(receipts: readonly WireReceipt[]): Promise<string> {
  const trie = new MerklePatriciaTrie();
  for (const [index, receipt] of receipts.entries()) await trie.put(RLP.encode(index), encoded(receipt));
  return toHex(trie.root());
}

for (const traffic of [{}, { byzantium: 1000 }, { transactions: [140, 140] as const, logs: [0, 2] as const }]) {
  test(`receipts roots of blocks with ${JSON.stringify(traffic)} are those of another library`, async () => {
    const chain = new SimulatedChain({ seed: 17, traffic });
    chain.mine(traffic.transactions ? 3 : 40);

    for (let number = 0; number < chain.length; number++) {
      const { transactions, receipts } = decodeBlock(chain.wireBlock(number), chain.wireReceipts(number));
      assert.equal(toHex(receiptsRoot(transactions, receipts)), await rootOf(chain.wireReceipts(number)!));
    }
  });
}

function sample(): { block: WireObject; receipts: WireReceipt[]; receipt: WireReceipt; log: WireObject } {
  const chain = new SimulatedChain({ seed: 4, traffic: { transactions: [3, 3] } });
  do chain.mine();
  while (chain.head.receipts[1]!.logs.length === 0);
  const { block, receipts } = structuredClone({ block: chain.head.block, receipts: chain.head.receipts });
  return { block, receipts, receipt: receipts[1]!, log: receipts[1]!.logs[0]! };
}

const HASH = `0x${"12".repeat(32)}`;

for (const field of ["blockHash", "transactionHash"]) {
  test(`a receipt or log whose ${field} is another's is refused`, () => {
    for (const part of ["receipt", "log"] as const) {
      const { block, receipts, ...parts } = sample();
      parts[part][field] = HASH;

      assert.throws(() => decodeBlock(block, receipts), REFUSED);
    }
  });
}

for (const field of ["blockNumber", "blockTimestamp", "transactionIndex", "removed"]) {
  test(`a receipt or log whose ${field} is another's is decoded, with a note`, () => {
    for (const part of field === "removed" ? (["log"] as const) : (["receipt", "log"] as const)) {
      const { block, receipts, ...parts } = sample();
      const honest = decodeBlock(block, receipts);
      parts[part][field] = field === "removed" ? true : "0x7777";

      const { mismatch, ...decoded } = decodeBlock(block, receipts);

      assert.match(mismatch!, new RegExp(`^${part}.${field}: expected `));
      assert.deepEqual(decoded, honest);
    }
  });
}

test("receipts that are too few, too many, swapped, null or not a list are refused", () => {
  const { block, receipts } = sample();
  const [first, second, third] = receipts;

  for (const wrong of [
    null,
    {},
    [],
    [first, second],
    [...receipts, third],
    [second, first, third],
    [first, null, third],
  ]) {
    assert.throws(() => decodeBlock(block, wrong), REFUSED);
  }
});

test("a receipt field that is missing or malformed is refused", () => {
  for (const field of ["from", "cumulativeGasUsed", "gasUsed", "logsBloom", "logs", "status", "blockHash"]) {
    for (const value of [undefined, null, "0x", 1.5, {}]) {
      const { block, receipts, receipt } = sample();
      receipt[field] = value;
      assert.throws(() => decodeBlock(block, receipts), REFUSED, `${field} ${value}`);
    }
  }
});

test("a log field that is missing or malformed is refused", () => {
  for (const field of ["address", "topics", "logIndex", "transactionHash"]) {
    for (const value of [undefined, null, "0x", 1.5, {}, Array(5).fill(HASH)]) {
      const { block, receipts, log } = sample();
      log[field] = value;
      assert.throws(() => decodeBlock(block, receipts), REFUSED, `${field} ${value}`);
    }
  }
  const { block, receipts, log } = sample();
  log.data = "0x1";
  assert.throws(() => decodeBlock(block, receipts), REFUSED);
});

test("quantities may be JSON numbers, as anvil sends times", () => {
  const { block, receipts, receipt, log } = sample();
  const honest = decodeBlock(block, receipts);
  for (const part of [receipt, log]) {
    for (const [field, value] of Object.entries({ ...part, blockTimestamp: block.timestamp })) {
      const isQuantity = typeof value === "string" && /^0x[0-9a-f]{1,13}$/.test(value) && field !== "data";
      if (isQuantity) part[field] = Number(value);
    }
  }

  assert.ok(Object.values(receipt).filter((value) => typeof value === "number").length > 5);
  assert.deepEqual(decodeBlock(block, receipts), honest);
});

test("copies may be absent, a timestamp may have leading zeros, and unknown fields are kept", () => {
  const { block, receipts, receipt, log } = sample();
  delete receipt.transactionIndex;
  delete log.removed;
  log.blockTimestamp = String(block.timestamp).replace("0x", "0x00");
  Object.assign(receipt, { l1Fee: "0x5" });
  Object.assign(log, { index: 3 });

  const decoded = decodeBlock(block, receipts).receipts[1]!;

  assert.deepEqual({ ...decoded.extra }, { l1Fee: "0x5" });
  assert.deepEqual({ ...decoded.logs[0]!.extra }, { index: 3 });
});

test("a price or blob gas that is null counts as absent, as some nodes send it", () => {
  const { block, receipts, receipt } = sample();
  Object.assign(receipt, { effectiveGasPrice: null, blobGasUsed: null, blobGasPrice: null, root: null });

  const decoded = decodeBlock(block, receipts).receipts[1]!;

  assert.equal(decoded.effectiveGasPrice, undefined);
  assert.equal(decoded.blobGasUsed, undefined);
  assert.equal(decoded.blobGasPrice, undefined);
  assert.equal(decoded.root, undefined);
});
