import assert from "node:assert/strict";
import { test } from "node:test";
import { SimulatedChain } from "../../test/support/simulatedChain.ts";
import type { Block } from "../chain/block/block.ts";
import { decodeBlock } from "../chain/block/block.ts";
import { BatchSize, batchLimits, JoinedBlocks } from "./batch.ts";

const chain = new SimulatedChain({ seed: 3 });
chain.mine(12);
const blocks = Array.from({ length: 13 }, (_, number) =>
  decodeBlock(chain.wireBlock(number), chain.wireReceipts(number)),
);

const detached = (block: Block): Block => ({ ...block, header: { ...block.header, parentHash: new Uint8Array(32) } });
const other = (block: Block): Block => ({ ...block, header: { ...block.header, hash: new Uint8Array(32).fill(7) } });

/** Numbers of the blocks that link up, as a node sends them in parts; `there` is its final chain. */
async function joined(parts: readonly Block[][], there: readonly Block[], authoritative = true): Promise<number[]> {
  async function* fetched() {
    for (const part of parts) yield [...part];
  }
  const hashes = async (numbers: readonly number[]) => numbers.map((number) => there[number]?.header.hash);
  const stream = new JoinedBlocks(fetched(), blocks[0]!.header, { authoritative, hashes });
  const found: number[] = [];
  for (let block = await stream.peek(); block !== undefined; block = await stream.peek()) {
    found.push(block.header.number);
    stream.take();
  }
  return found;
}

test("a batch is as many times larger as its engine says", () => {
  const fill = (factor: number) => {
    const size = new BatchSize(1e9, batchLimits(factor));
    while (!size.isFull) size.count(blocks[0]!);
    return size.blocks;
  };

  assert.deepEqual([fill(1), fill(2)], [1024, 2048]);
});

test("a part has 64 small blocks, or ends with the block that makes it a megabyte", () => {
  const small = blocks[0]!;
  const busy = blocks.find(({ transactions }) => transactions.length > 0)!;
  const [tx, ...others] = busy.transactions;
  const large = { ...busy, transactions: [{ ...tx!, input: new Uint8Array(1 << 19) }, ...others] };
  const fill = (block: Block) => {
    const size = new BatchSize(1e9);
    size.beginPart();
    while (!size.isPartFull) size.count(block);
    return size.blocks;
  };

  assert.deepEqual([fill(small), fill(large)], [64, 2]);
});

test("blocks join on as long as each names the one before", async () => {
  assert.deepEqual(await joined([blocks.slice(1, 4), blocks.slice(4, 6)], []), [1, 2, 3, 4, 5]);
  assert.deepEqual(await joined([blocks.slice(1, 3), blocks.slice(4, 6)], []), [1, 2]);
});

test("blocks that do not say what they stand on join on where the node has them so", async () => {
  const parts = [
    [blocks[1]!, detached(blocks[2]!), detached(blocks[3]!)],
    [detached(blocks[4]!), blocks[5]!],
  ];

  assert.deepEqual(await joined(parts, blocks), [1, 2, 3, 4, 5]);
});

test("such a block does not join on to one that the node has replaced, or where it was replaced itself", async () => {
  const parts = [[detached(blocks[1]!), detached(blocks[2]!)], [detached(blocks[3]!)]];

  for (const [replaced, expected] of [
    [0, []],
    [1, []],
    [2, [1]],
    [3, [1, 2]],
  ] as const) {
    assert.deepEqual(await joined(parts, blocks.with(replaced, other(blocks[replaced]!))), expected, `${replaced}`);
  }
});

test("blocks of a development chain are refused, with a hint at --dev", async () => {
  await assert.rejects(joined([[detached(blocks[1]!)]], blocks, false), {
    code: "upstream_invalid",
    message: /^block 1: parentHash is zero, .* start with --dev$/,
  });
});
