import assert from "node:assert/strict";
import { test } from "node:test";
import { DevelopmentNode } from "../../../../test/support/developmentNode.ts";
import type { Hex } from "../../../chain/encoding/hex.ts";

const ACCOUNT: Hex = `0x${"5b".repeat(20)}`;
const OTHER: Hex = `0x${"0c".repeat(20)}`;

interface Answered {
  readonly timestamp: Hex;
  readonly mixHash: Hex;
}

async function openNode(t: { after(clean: () => unknown): void }): Promise<DevelopmentNode> {
  const node = await DevelopmentNode.open();
  t.after(() => node.close());
  return node;
}

async function nextBlock(node: DevelopmentNode): Promise<Answered> {
  await node.ask("anvil_mine");
  return await node.ask("eth_getBlockByNumber", "latest", false);
}

test("with auto-impersonation no account needs a key", async (t) => {
  const node = await openNode(t);
  await node.ask("anvil_addBalance", ACCOUNT, "0xde0b6b3a7640000");
  await node.ask("anvil_addBalance", ACCOUNT, "0x1");
  const send = () => node.ask<Hex>("eth_sendTransaction", { from: ACCOUNT, to: OTHER, value: "0x2" });

  assert.equal(await node.ask("eth_getBalance", ACCOUNT, "latest"), "0xde0b6b3a7640001");
  await assert.rejects(send(), /unknown account/);
  await node.ask("anvil_autoImpersonateAccount", true);
  await send();
  await node.ask("anvil_autoImpersonateAccount", false);
  await assert.rejects(send(), /unknown account/);
  assert.equal(await node.ask("eth_getBalance", OTHER, "latest"), "0x2");
});

test("waiting transactions are dropped, those of one sender or all", async (t) => {
  const node = await openNode(t);
  const [first, second] = await node.ask<[Hex, Hex]>("eth_accounts");
  const pending = async () => (await node.ask<{ pending: Hex }>("txpool_status")).pending;
  await node.ask("evm_setAutomine", false);
  for (const from of [first, first, second]) await node.ask("eth_sendTransaction", { from, to: OTHER });

  assert.equal(await pending(), "0x3");
  await node.ask("anvil_removePoolTransactions", first);
  assert.equal(await pending(), "0x1");
  await node.ask("hardhat_dropAllTransactions");
  assert.equal(await pending(), "0x0");
});

test("eth_sendUnsignedTransaction sends from the given account", async (t) => {
  const node = await openNode(t);
  await node.ask("evm_setAccountBalance", ACCOUNT, "0xde0b6b3a7640000");

  const hash = await node.ask("eth_sendUnsignedTransaction", { from: ACCOUNT, to: OTHER, value: "0x7" });

  const receipt = await node.ask<{ from: Hex; status: Hex }>("eth_getTransactionReceipt", hash);
  assert.deepEqual([receipt.from, receipt.status], [ACCOUNT, "0x1"]);
  await assert.rejects(node.ask("eth_sendUnsignedTransaction", { to: OTHER }), /unknown account/);
});

test("a time is set for all blocks to come, and is never before the last one", async (t) => {
  const node = await openNode(t);
  const time = 4_000_000_000;

  await node.ask("anvil_setTime", time);
  const block = await nextBlock(node);

  assert.ok(Number(block.timestamp) - time < 30, block.timestamp);
  await assert.rejects(node.ask("evm_setTime", time - 1000), /lower than previous/);
});

test("blocks that keep a distance keep it after a time that was set, and lose it by a snapshot", async (t) => {
  const node = await openNode(t);
  const times: number[] = [];
  const id = await node.ask("evm_snapshot");
  await node.ask("anvil_setBlockTimestampInterval", 100);
  await node.ask("evm_setNextBlockTimestamp", 4_000_000_000);

  for (let made = 0; made < 3; made++) times.push(Number((await nextBlock(node)).timestamp));
  await node.ask("evm_revert", id);
  await node.ask("anvil_mine", 2);
  const after = await node.ask<Answered>("eth_getBlockByNumber", "latest", false);

  assert.deepEqual(times, [4_000_000_000, 4_000_000_100, 4_000_000_200]);
  assert.ok(Number(after.timestamp) < 4_000_000_000);
  assert.equal(await node.ask("anvil_removeBlockTimestampInterval"), false);
});

test("an interval is in seconds where it is below 100, as Anvil's clients have it, and else in milliseconds", async (t) => {
  const node = await openNode(t);
  const intervals: unknown[] = [];

  for (const [method, interval] of [
    ["evm_setIntervalMining", 99],
    ["evm_setIntervalMining", 99_000],
    ["anvil_setIntervalMining", 200],
    ["evm_setIntervalMining", 0],
  ]) {
    await node.ask(method as string, interval);
    intervals.push(await node.ask("anvil_getIntervalMining"));
  }

  assert.deepEqual(intervals, [99, 99, 200, null]);
});

test("invalid times and timers are refused, and the chain continues", async (t) => {
  const node = await openNode(t);
  for (const [method, ...given] of [
    ["evm_setIntervalMining", 3_000_000_000],
    ["anvil_setIntervalMining", 2_200_000],
    ["evm_increaseTime", 2 ** 53 - 1],
    ["evm_setNextBlockTimestamp", "0xffffffffffff"],
    ["evm_setTime", 2 ** 50],
    ["anvil_setBlockTimestampInterval", 2 ** 40],
    ["evm_mine", 2 ** 53 - 1],
    ["evm_mine", { timestamp: 2 ** 53 - 1 }],
    ["hardhat_mine", 2, 2 ** 53 - 1],
    ["anvil_mine", 3, 2 ** 40],
  ] as const) {
    await assert.rejects(node.ask(method, ...given), { code: -32_602 }, method);
  }
  await node.ask("evm_increaseTime", 253_000_000_000 - 2_000_000_000);
  await assert.rejects(node.ask("evm_increaseTime", 253_000_000_000), { code: -32_602 });

  assert.ok(Number((await nextBlock(node)).timestamp) > 252_000_000_000);
  await node.ask("anvil_setBlockTimestampInterval", 200_000_000_000);
  const latest = [Number((await nextBlock(node)).timestamp), Number((await nextBlock(node)).timestamp)];
  assert.deepEqual(latest, [253_402_300_799, 253_402_300_800]);
  await node.ask("hardhat_mine", 5);
  assert.equal(Number((await nextBlock(node)).timestamp), 253_402_300_806);
});

test("randomness is set for the next block alone", async (t) => {
  const node = await openNode(t);
  const randao: Hex = `0x${"ab".repeat(32)}`;

  await node.ask("hardhat_setPrevRandao", randao);

  assert.equal((await nextBlock(node)).mixHash, randao);
  assert.notEqual((await nextBlock(node)).mixHash, randao);
});

test("tools learn which chain this is", async (t) => {
  const node = await openNode(t);
  await node.ask("anvil_mine", 2);
  const genesis = await node.ask<{ hash: Hex }>("eth_getBlockByNumber", "0x0", false);
  const head = await node.ask<{ hash: Hex; timestamp: Hex }>("eth_getBlockByNumber", "latest", false);

  const metadata = await node.ask<Record<string, unknown>>("hardhat_metadata");
  const info = await node.ask<Record<string, unknown>>("anvil_nodeInfo");

  assert.deepEqual(metadata, {
    clientVersion: await node.ask("web3_clientVersion"),
    chainId: 968,
    instanceId: genesis.hash,
    latestBlockNumber: 2,
    latestBlockHash: head.hash,
  });
  assert.deepEqual([info.currentBlockNumber, info.currentBlockHash], ["0x2", head.hash]);
  assert.equal(info.currentBlockTimestamp, Number(head.timestamp));
  const { chainId, gasPrice } = info.environment as { chainId: number; gasPrice: Hex };
  assert.deepEqual([chainId, gasPrice], [968, await node.ask("eth_gasPrice")]);
});
