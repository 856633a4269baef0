import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import { createBlockHeader } from "@ethereumjs/block";
import { Common, Hardfork, Mainnet } from "@ethereumjs/common";
import { keccak256 } from "viem";
import { DevelopmentNode, EMITTER, emission } from "../../test/support/developmentNode.ts";
import { typicalEventLoopDelay } from "../../test/support/eventLoopDelay.ts";
import { temporaryDirectory } from "../../test/support/program.ts";
import { threadCpuMs } from "../../test/support/threadCpu.ts";
import type { Hex } from "../chain/encoding/hex.ts";

interface Block {
  readonly number: Hex;
  readonly hash: Hex;
  readonly parentHash: Hex;
  readonly timestamp: Hex;
  readonly baseFeePerGas: Hex;
  readonly gasLimit: Hex;
  readonly stateRoot: Hex;
  readonly transactions: readonly Hex[];
}

const quantity = (value: number): Hex => `0x${value.toString(16)}`;
const blockAt = (node: DevelopmentNode, number: number) =>
  node.ask<Block>("eth_getBlockByNumber", quantity(number), false);

const COUNT = 1200;
const SECONDS = 12;

test("blocks of hardhat_mine are a chain: hashes are of headers, parents follow, and so do times and fees", async (t) => {
  const node = await DevelopmentNode.open();
  t.after(() => node.close());
  const emitter = await node.deploy(EMITTER);
  const common = new Common({ chain: Mainnet, hardfork: Hardfork.Prague });

  await node.ask("hardhat_mine", quantity(COUNT), quantity(SECONDS));

  assert.equal(Number(await node.ask("eth_blockNumber")), COUNT + 1);
  let parent = await blockAt(node, 2);
  for (let number = 3; number <= COUNT + 1; number++) {
    const block = await blockAt(node, number);
    assert.deepEqual([Number(block.number), block.parentHash, block.transactions], [number, parent.hash, []]);
    assert.equal(Number(block.timestamp) - Number(parent.timestamp), SECONDS);
    const { gasLimit, baseFeePerGas } = parent;
    const before = createBlockHeader({ number: number - 1, gasLimit, gasUsed: 0n, baseFeePerGas }, { common });
    assert.equal(BigInt(block.baseFeePerGas), before.calcNextBaseFee());
    parent = block;
  }
  for (const number of [2, 3, 600, COUNT, COUNT + 1]) {
    const header = await node.ask<Hex>("debug_getRawHeader", quantity(number));
    assert.equal((await blockAt(node, number)).hash, keccak256(header));
  }
  assert.equal((await node.ask<Block>("eth_getBlockByHash", parent.parentHash, false)).number, quantity(COUNT));
  await node.send({ to: emitter, data: emission(1, 2) });
  const logs = await node.ask<unknown[]>("eth_getLogs", { fromBlock: "0x1", toBlock: "latest" });
  assert.equal(logs.length, 1);
  assert.deepEqual(await node.ask("eth_getBlockReceipts", quantity(1000)), []);
});

test("every block of a long range is found by its hash, after a restart and a rollback too", async (t) => {
  const directory = temporaryDirectory(t);
  const first = await DevelopmentNode.open({ directory });
  await first.ask("hardhat_mine", quantity(8_000));
  const numbers = Array.from({ length: 40 }, (_, index) => 2 + index * 199);
  const hashes = await Promise.all(numbers.map(async (number) => (await blockAt(first, number)).hash));
  await first.close();

  const node = await DevelopmentNode.open({ directory });
  t.after(() => node.close());

  for (const [index, hash] of hashes.entries()) {
    assert.equal((await node.ask<Block>("eth_getBlockByHash", hash, false)).number, quantity(numbers[index]!));
    const balance = node.ask("eth_getBalance", node.account.address, { blockHash: hash, requireCanonical: true });
    assert.ok(Number(await balance) > 0);
  }
  assert.equal(
    await node.ask("eth_getBlockByHash", `${hashes[3]!.slice(0, -1)}${hashes[3]!.endsWith("0") ? 1 : 0}`, false),
    null,
  );
  await node.ask("anvil_rollback", 900);
  assert.equal(await node.ask("eth_getBlockByHash", hashes.at(-1), false), null);
  assert.equal((await node.ask<Block>("eth_getBlockByHash", hashes[5], false)).number, quantity(numbers[5]!));
});

const HISTORY = "0x0000f90827f1c53a10cb7a02335b175320002935";
const BEACON_ROOTS = "0x000f3df6d732807ef1319fb7b8bb8522d0beac02";

test("the state after them is that of blocks that were run: contracts know their hashes and times", async (t) => {
  const node = await DevelopmentNode.open();
  t.after(() => node.close());
  const slot = (address: string, index: number) =>
    node.ask<Hex>("eth_getStorageAt", address, quantity(index), "latest");

  await node.ask("hardhat_mine", quantity(COUNT), quantity(SECONDS));

  for (const number of [1, 2, 3, 999, COUNT - 2, COUNT - 1]) {
    const { hash, timestamp } = await blockAt(node, number);
    assert.equal(await slot(HISTORY, number % 8191), hash, `the hash of ${number}`);
    assert.equal(
      Number(await slot(BEACON_ROOTS, Number(timestamp) % 8191)),
      Number(timestamp),
      `the time of ${number}`,
    );
  }
  const balance = await node.ask("eth_getBalance", node.account.address, quantity(1000));
  assert.equal(balance, await node.ask("eth_getBalance", node.account.address, "latest"));
});

test("a chain goes back into the midst of them, changes there, and is the same after a restart", async (t) => {
  const directory = temporaryDirectory(t);
  let node = await DevelopmentNode.open({ directory });
  await node.ask("hardhat_mine", quantity(COUNT));
  const kept = await blockAt(node, 700);

  await node.ask("anvil_rollback", COUNT - 700);
  await node.ask("anvil_setBalance", HISTORY, "0x7");
  assert.deepEqual(await blockAt(node, 700), kept);
  assert.equal(await node.ask("eth_getBlockByNumber", quantity(701), false), null);
  assert.equal(
    await node.ask("eth_getBlockByHash", kept.hash, false).then((block) => (block as Block).number),
    "0x2bc",
  );
  await node.ask("hardhat_mine", quantity(COUNT));
  const hash = await node.send();
  const head = await node.ask<Block>("eth_getBlockByNumber", "latest", false);
  const middle = await blockAt(node, 1500);
  await node.close();

  node = await DevelopmentNode.open({ directory });
  t.after(() => node.close());
  assert.deepEqual(await node.ask("eth_getBlockByNumber", "latest", false), head);
  assert.deepEqual(await blockAt(node, 1500), middle);
  assert.deepEqual([(await blockAt(node, 701)).parentHash, head.transactions], [kept.hash, [hash]]);
  assert.equal(await node.ask("eth_getBalance", HISTORY, "latest"), "0x7");
});

test("pending transactions are in the first block, and later ones in the last", async (t) => {
  const node = await DevelopmentNode.open();
  t.after(() => node.close());
  await node.ask("evm_setAutomine", false);
  const first = await node.send();

  const mining = node.ask("hardhat_mine", quantity(5000));
  for (let turns = 0; turns < 5; turns++) await yieldToEventLoop();
  const later = await node.send();
  await mining;

  const placeOf = async (hash: Hex) =>
    Number((await node.ask<{ blockNumber: Hex }>("eth_getTransactionReceipt", hash)).blockNumber);
  assert.equal(await placeOf(first), 1);
  assert.equal(await placeOf(later), 5000);
});

const MANY = 5_000 * Number(process.env.ORIEL_CASES ?? 1);
const ROUNDS = 6;
const MAX_DELAY = 50;

test("mining thousands of empty blocks takes CPU seconds at most and yields to the event loop every 50 ms", async (t) => {
  const node = await DevelopmentNode.open();
  t.after(() => node.close());

  const before = threadCpuMs();
  let rounds = 0;
  const mine = () => node.ask("hardhat_mine", quantity(MANY)).finally(() => rounds++);
  const delay = await typicalEventLoopDelay(mine, MAX_DELAY, ROUNDS);
  const milliseconds = (threadCpuMs() - before) / rounds;

  assert.equal(Number(await node.ask("eth_blockNumber")), MANY * rounds);
  assert.ok(delay < MAX_DELAY, `${delay.toFixed(0)} ms`);
  assert.ok(milliseconds < 10_000 + MANY / 20, `${milliseconds} ms`);
  await assert.rejects(node.ask("hardhat_mine", quantity(10_000_001)), { code: -32602 });
});
