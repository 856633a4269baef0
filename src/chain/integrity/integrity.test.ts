import assert from "node:assert/strict";
import { test } from "node:test";
import { SimulatedChain } from "../../../test/support/simulatedChain.ts";
import type { Block } from "../block/block.ts";
import { decodeBlock } from "../block/block.ts";
import type { Header } from "../block/header.ts";
import { headerHash } from "../block/header.ts";
import type { Receipt } from "../block/receipt.ts";
import type { Transaction } from "../block/transaction.ts";
import type { Bytes } from "../encoding/bytes.ts";
import type { Extra } from "../encoding/extra.ts";
import { uintFromBigInt } from "../encoding/uint.ts";
import { keccak256 } from "../hashing/keccak.ts";
import type { Check } from "./checks.ts";
import { CHECKS } from "./checks.ts";
import { checkBlock } from "./integrity.ts";

const chain = new SimulatedChain({ seed: 17, traffic: { transactions: [6, 8] } });
chain.mine(60);
const blocks = Array.from({ length: 60 }, (_, i) => decodeBlock(chain.wireBlock(i + 1), chain.wireReceipts(i + 1)));

function failures(block: Block): Check[] {
  return checkBlock(block).failed.map(({ check }) => check);
}

function find(isWanted: (tx: Transaction, receipt: Receipt) => boolean): [Block, number] {
  for (const block of blocks) {
    const at = block.transactions.findIndex((tx, index) => isWanted(tx, block.receipts[index]!));
    if (at >= 0) return [block, at];
  }
  throw new Error("no such transaction");
}

function withHeader(header: Partial<Header>): Block {
  return { ...blocks[0]!, header: { ...blocks[0]!.header, ...header } };
}

function withTransaction([block, at]: [Block, number], change: Partial<Transaction>): Block {
  return { ...block, transactions: block.transactions.with(at, { ...block.transactions[at]!, ...change }) };
}

function withReceipt([block, at]: [Block, number], change: Partial<Receipt>): Block {
  return { ...block, receipts: block.receipts.with(at, { ...block.receipts[at]!, ...change }) };
}

test("every check holds on an honest chain, and has something to say there", () => {
  const empty = decodeBlock(chain.wireBlock(0), chain.wireReceipts(0));
  const held = new Set([empty, ...blocks].flatMap((block) => checkBlock(block).held));

  for (const block of [empty, ...blocks]) assert.deepEqual(failures(block), []);
  // The bloom check is for blocks whose receipts root cannot be recomputed, and these have no unknown fields.
  assert.deepEqual([...held, "logsBloom", "extra"].sort(), Object.keys(CHECKS).sort());
});

test("each lie fails the check that is about it", () => {
  const creation = find((tx, receipt) => tx.to === null && receipt.status === 1);
  const call = find((tx) => tx.to !== null);
  const capped = find((tx) => tx.type === 2);
  const blob = find((tx) => tx.type === 3);
  const one = new Uint8Array([1]);

  assert.deepEqual(failures(withHeader({ size: 5 })), ["size"]);
  assert.deepEqual(failures(withHeader({ uncles: [new Uint8Array(32)] })), ["uncles"]);
  assert.deepEqual(failures(withHeader({ stateRoot: new Uint8Array(32) })), ["blockHash"]);
  assert.deepEqual(failures(withTransaction(call, { hash: new Uint8Array(32) })), ["transactionHash"]);
  assert.deepEqual(failures(withReceipt(call, { from: new Uint8Array(20) })), ["receipt"]);
  assert.deepEqual(failures(withReceipt(call, { contractAddress: new Uint8Array(20) })), ["contractAddress"]);
  assert.deepEqual(failures(withReceipt(creation, { contractAddress: null })), ["contractAddress"]);
  assert.deepEqual(failures(withReceipt(creation, { contractAddress: new Uint8Array(20) })), ["contractAddress"]);
  assert.deepEqual(failures(withReceipt(capped, { effectiveGasPrice: one })), ["gasPrice", "feeCap"]);
  assert.deepEqual(failures(withTransaction(capped, { gasPrice: one })), ["gasPrice"]);
  assert.deepEqual(failures(withReceipt(blob, { blobGasUsed: 1 })), ["blobGas"]);
});

test("withdrawals are there where the header has a root for them, and only there", () => {
  const { withdrawals: _, ...without } = blocks[0]!.header;

  assert.ok(failures({ ...blocks[0]!, header: without }).includes("withdrawalsRoot"));
  const { withdrawalsRoot: __, ...rootless } = blocks[0]!.header;
  assert.ok(failures({ ...blocks[0]!, header: rootless }).includes("withdrawalsRoot"));
});

test("the chainId field of a legacy transaction equals the one in its v, however large", () => {
  const legacy = find((tx) => tx.type === 0 && tx.chainId !== undefined);
  const says = (chainId: bigint, v: bigint) =>
    failures(withTransaction(legacy, { chainId: uintFromBigInt(chainId), v: uintFromBigInt(v) })).includes("chainId");

  for (const id of [1n, 677n, 2n ** 51n, 2n ** 53n + 1n, 2n ** 60n + 1n, 2n ** 200n + 1n]) {
    assert.equal(says(id, id * 2n + 35n), false, `${id}`);
    assert.equal(says(id, id * 2n + 36n), false, `${id}`);
    assert.equal(says(id, id * 2n + 37n), true, `${id}`);
    assert.equal(says(id, id * 2n + 34n), true, `${id}`);
  }
  assert.equal(says(1n, 27n), false, "v before EIP-155 holds no chain id");
});

test("a creation before Byzantium that used all its gas may name no contract", () => {
  const [block, at] = find((tx) => tx.to === null);
  const { status: _, ...old } = { ...block.receipts[at]!, root: new Uint8Array(32), contractAddress: null };
  const failed = (gasUsed: number) =>
    failures({ ...block, receipts: block.receipts.with(at, { ...old, gasUsed }) }).includes("contractAddress");
  const gas = Number(`0x${Buffer.from(block.transactions[at]!.gas).toString("hex")}`);

  assert.equal(failed(gas), false);
  assert.equal(failed(gas - 1), true);
});

test("a block without transactions may have the root of none or the keccak of nothing, and no other", () => {
  const { header } = decodeBlock(chain.wireBlock(0), chain.wireReceipts(0));
  const withRoot = (transactionsRoot: Bytes) => {
    const changed = { ...header, transactionsRoot };
    return failures({ header: { ...changed, hash: headerHash(changed) }, transactions: [], receipts: [] });
  };

  assert.deepEqual(withRoot(keccak256(new Uint8Array(0))), []);
  assert.deepEqual(withRoot(new Uint8Array(32)), ["noTransactions"]);
});

test("unknown fields are reported with the checks that may depend on them", () => {
  const [block, at] = find((tx) => tx.to !== null);
  const plain = checkBlock(block).unknown;
  const ofHeader = withHeader({ extra: { newRoot: "0x1", notYet: null } });
  const ofReceipt = withReceipt([block, at], { extra: { l1Fee: "0x1" } });
  const ofTransaction = withTransaction([block, at], { extra: { mint: "0x1" } });
  const ofBoth = { ...ofReceipt, header: { ...ofReceipt.header, extra: { newRoot: "0x1" } } };

  assert.deepEqual(plain, {});
  const named = (given: Block) =>
    Object.entries(checkBlock(given).unknown).flatMap(([check, names]) => names.map((name) => `${check} ${name}`));
  assert.deepEqual(named(ofHeader), ["blockHash newRoot", "size newRoot"]);
  assert.deepEqual(named(ofReceipt), []);
  assert.deepEqual(named(ofTransaction), []);
  assert.deepEqual(named(ofBoth), ["blockHash newRoot", "size newRoot", "receiptsRoot l1Fee"]);
});

test("a header of another fork may come with other rules of gas", () => {
  const [block, at] = find((tx) => tx.type === 2);
  const lying = withReceipt([block, at], { gasUsed: 1, effectiveGasPrice: new Uint8Array([1]) });
  const excused = (extra: Extra, header: Partial<Header> = {}) => {
    const { unknown } = checkBlock({ ...lying, header: { ...block.header, ...header, extra } });
    return (["gasUsed", "feeCap", "blobGas"] as const).filter((check) => (unknown[check] ?? []).length > 0);
  };

  assert.deepEqual(excused({ newRoot: "0x1" }), []);
  assert.deepEqual(excused({ newRoot: "0x1" }, { hash: new Uint8Array(32) }), ["gasUsed", "feeCap"]);
  assert.deepEqual(excused({ blockAccessListHash: `0x${"12".repeat(32)}` }), ["gasUsed", "feeCap"]);
});
