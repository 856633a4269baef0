import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, describe, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import type { Hex } from "viem";
import {
  createTestClient,
  createWalletClient,
  defineChain,
  http,
  InvalidParamsRpcError,
  MethodNotFoundRpcError,
  pad,
  parseEther,
  publicActions,
  testActions,
  toHex,
  walletActions,
} from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { indexes, KEYS, NETWORKS, startNetworks } from "../support/networks.ts";
import { get } from "../support/program.ts";
import { until } from "../support/waiting.ts";

const { urls } = await startNetworks(after);

/** Nobody has the key of it. */
const KEYLESS = "0x000000000000000000000000000000000000dEaD";
/** Answers what its first slot holds. */
const READS_SLOT: Hex = "0x5f545f5260205ff3";

/** Anvil's method names on one network, Hardhat's on the other. */
const MODES = { mainnet: "anvil", testnet: "hardhat" } as const;

const newAddress = () => privateKeyToAccount(generatePrivateKey()).address;

function connect(name: keyof typeof MODES, chainId: number) {
  const url = `${urls[name]}/rpc`;
  const currency = { name: "Coin", symbol: "COIN", decimals: 18 };
  const chain = defineChain({ id: chainId, name, nativeCurrency: currency, rpcUrls: { default: { http: [url] } } });
  const transport = http(url, { retryCount: 0 });
  const client = createTestClient({ mode: MODES[name], chain, transport, pollingInterval: 50, cacheTime: 0 })
    .extend(publicActions)
    .extend(walletActions);
  const wallet = createWalletClient({ chain, transport, account: privateKeyToAccount(KEYS[0]) });
  return { client, wallet };
}

for (const { name, chainId } of NETWORKS) {
  const mode = MODES[name];

  describe(`viem's test client in mode ${mode} on ${name}`, () => {
    const { client, wallet } = connect(name, chainId);

    test("blocks are mined, some seconds apart", async () => {
      const before = await client.getBlock();

      await client.mine({ blocks: 1 });
      await client.mine({ blocks: 3, interval: 60 });

      const blocks = await Promise.all(
        [2n, 3n, 4n].map((ahead) => client.getBlock({ blockNumber: before.number + ahead })),
      );
      assert.equal(await client.getBlockNumber(), before.number + 4n);
      assert.deepEqual(
        [blocks[1]!.timestamp - blocks[0]!.timestamp, blocks[2]!.timestamp - blocks[1]!.timestamp],
        [60n, 60n],
      );
    });

    test("balance, nonce, code and storage of an account are set", async () => {
      const address = newAddress();
      const slot = pad("0x00");

      await client.setBalance({ address, value: parseEther("5") });
      await client.setNonce({ address, nonce: 9 });
      await client.setCode({ address, bytecode: READS_SLOT });
      await client.setStorageAt({ address, index: 0, value: pad(toHex(77)) });

      assert.equal(await client.getBalance({ address }), parseEther("5"));
      assert.equal(await client.getTransactionCount({ address }), 9);
      assert.equal(await client.getCode({ address }), READS_SLOT);
      assert.equal(await client.getStorageAt({ address, slot }), pad(toHex(77)));
      assert.equal((await client.call({ to: address })).data, pad(toHex(77)));
    });

    test("an account that is impersonated sends without its key, until it no longer is", async () => {
      const from = newAddress();
      await client.setBalance({ address: from, value: parseEther("1") });
      const send = () => client.sendTransaction({ account: from, to: KEYLESS, value: 3n });

      await client.impersonateAccount({ address: from });
      const receipt = await client.waitForTransactionReceipt({ hash: await send() });
      await client.stopImpersonatingAccount({ address: from });

      assert.deepEqual([receipt.status, receipt.from], ["success", from.toLowerCase()]);
      await assert.rejects(send(), /unknown account/);
    });

    test("a snapshot is gone back to: blocks, state and time", async () => {
      const address = newAddress();
      const before = await client.getBlock();

      const id = await client.snapshot();
      await client.setBalance({ address, value: 1n });
      await client.increaseTime({ seconds: 86_400 });
      await client.mine({ blocks: 2 });
      const there = await client.getBlock();
      await client.revert({ id });

      assert.ok(there.timestamp >= before.timestamp + 86_400n);
      assert.equal(await client.getBlockNumber(), before.number);
      assert.equal(await client.getBalance({ address }), 0n);
      await client.mine({ blocks: 1 });
      assert.ok((await client.getBlock()).timestamp < before.timestamp + 86_400n);
      await indexes(urls[name]!, Number(before.number) + 1);
    });

    test("the time of the next block is set, and time goes on from there", async () => {
      const { timestamp } = await client.getBlock();

      await client.setNextBlockTimestamp({ timestamp: timestamp + 1_000n });
      await client.mine({ blocks: 1 });
      const set = await client.getBlock();
      await client.increaseTime({ seconds: 500 });
      await client.mine({ blocks: 1 });
      const later = await client.getBlock();

      assert.equal(set.timestamp, timestamp + 1_000n);
      assert.ok(later.timestamp >= timestamp + 1_500n && later.timestamp < timestamp + 1_530n);
    });

    test("without automine transactions wait, can be dropped, and the pool shows them", async () => {
      await client.setAutomine(false);
      const first = await wallet.sendTransaction({ to: KEYLESS, value: 1n });
      const second = await wallet.sendTransaction({ to: KEYLESS, value: 2n });

      assert.equal(await client.getAutomine(), false);
      assert.equal((await client.getTxpoolStatus()).pending, 2);
      const content = await client.getTxpoolContent();
      assert.equal(Object.keys(content.pending[wallet.account.address]!).length, 2);
      assert.match(Object.values((await client.inspectTxpool()).pending[wallet.account.address]!)[0]!, /^0x0.*1 wei/);
      await client.dropTransaction({ hash: second });
      assert.equal((await client.getTxpoolStatus()).pending, 1);
      await client.mine({ blocks: 1 });
      assert.equal((await client.getTransactionReceipt({ hash: first })).status, "success");
      await assert.rejects(client.getTransaction({ hash: second }), /could not be found/);
      await client.setAutomine(true);
      assert.equal(await client.getAutomine(), true);
    });

    test("coinbase, base fee and gas limit of the next block are set", async () => {
      const miner = newAddress();

      await client.setCoinbase({ address: miner });
      await client.setNextBlockBaseFeePerGas({ baseFeePerGas: 7_000_000_000n });
      await client.setBlockGasLimit({ gasLimit: 25_000_000n });
      await client.mine({ blocks: 1 });
      const block = await client.getBlock();
      await client.mine({ blocks: 1 });
      const next = await client.getBlock();

      assert.deepEqual(
        [block.miner, block.baseFeePerGas, block.gasLimit],
        [miner.toLowerCase(), 7_000_000_000n, 25_000_000n],
      );
      assert.deepEqual([next.miner, next.gasLimit], [miner.toLowerCase(), 25_000_000n]);
      await client.setBlockGasLimit({ gasLimit: 30_000_000n });
    });

    test("blocks are mined every so many seconds, until there is to be no interval", async () => {
      const before = await client.getBlockNumber();
      const began = performance.now();

      await client.setIntervalMining({ interval: 1 });
      await until("a block comes", async () => (await client.getBlockNumber()) > before);
      const made = (await client.getBlockNumber()) - before;
      const seconds = (performance.now() - began) / 1000;
      await client.setIntervalMining({ interval: 0 });
      await delay(100);
      const last = await client.getBlockNumber();
      await delay(1_100);

      assert.ok(Number(made) <= seconds, `${made} blocks in ${seconds} s`);
      assert.equal(await client.getBlockNumber(), last);
    });

    test("logging can be switched, as tools do at their start", async () => {
      await client.setLoggingEnabled(true);
      await client.setLoggingEnabled(false);
    });

    test("a transaction is sent without a signature", async () => {
      const from = newAddress();
      await client.setBalance({ address: from, value: parseEther("1") });

      const hash = await client.sendUnsignedTransaction({ from, to: KEYLESS, value: 5n });

      const receipt = await client.waitForTransactionReceipt({ hash });
      assert.deepEqual([receipt.status, receipt.from], ["success", from.toLowerCase()]);
    });

    test("what needs another chain does not exist, and a gas price from before fees is refused", async () => {
      await assert.rejects(client.setRpcUrl("http://127.0.0.1:1"), MethodNotFoundRpcError);
      await assert.rejects(client.setMinGasPrice({ gasPrice: 1n }), InvalidParamsRpcError);
      await assert.rejects(client.reset({ jsonRpcUrl: "http://127.0.0.1:1", blockNumber: 1n }), /does not fork/);
    });

    test("a state is dumped, and loaded again with its blocks, which the index follows", async () => {
      const address = newAddress();
      await client.setBalance({ address, value: 77n });
      await client.setCode({ address, bytecode: READS_SLOT });
      await client.setStorageAt({ address, index: 0, value: pad(toHex(5)) });

      const state = await client.dumpState();
      await client.setBalance({ address, value: 1n });
      await client.setStorageAt({ address, index: 0, value: pad(toHex(6)) });
      const head = await client.getBlockNumber({ cacheTime: 0 });
      await client.mine({ blocks: 3 });
      await indexes(urls[name]!, Number(head) + 3);
      await client.loadState({ state });

      assert.equal(await client.getBlockNumber({ cacheTime: 0 }), head);
      await indexes(urls[name]!, Number(head));
      assert.equal(await client.getBalance({ address }), 77n);
      assert.equal((await client.call({ to: address })).data, pad(toHex(5)));
    });

    test("a reset goes back to the first block, and the index follows", async () => {
      const genesis = await client.getBlock({ blockNumber: 0n });
      await wallet.sendTransaction({ to: KEYLESS, value: 1n });

      await client.reset();

      assert.equal((await client.getBlock()).hash, genesis.hash);
      assert.equal(await client.getTransactionCount({ address: wallet.account.address }), 0);
      await indexes(urls[name]!, 0);
      const { transactionHash, blockNumber } = await client.waitForTransactionReceipt({
        hash: await wallet.sendTransaction({ to: KEYLESS, value: 1n }),
      });
      assert.equal(blockNumber, 1n);
      await indexes(urls[name]!, 1);
      assert.equal((await get(`${urls[name]}/api/v2/transactions/${transactionHash}`)).status, 200);
    });
  });
}

describe("viem's test client in mode anvil", () => {
  test("blocks keep a distance in time, until there is to be none", async () => {
    const { client } = connect("mainnet", 677);

    await client.setBlockTimestampInterval({ interval: 300 });
    await client.mine({ blocks: 1 });
    const first = await client.getBlock();
    await client.mine({ blocks: 2 });
    const third = await client.getBlock();
    await client.removeBlockTimestampInterval();
    await client.mine({ blocks: 1 });
    const last = await client.getBlock();

    assert.equal(third.timestamp - first.timestamp, 600n);
    assert.ok(last.timestamp < third.timestamp + 300n);
  });

  test("every action that viem has for anvil is tried here, or listed with the reason why it is missing", () => {
    const { client } = connect("mainnet", 677);
    const actions = Object.keys(testActions({ mode: "anvil" })(client));
    const tried = readFileSync(new URL(import.meta.url), "utf8");
    const page = readFileSync(new URL("../../docs/json-rpc.md", import.meta.url), "utf8");
    const [, reasons = ""] = page.split("### What anvil has besides");

    assert.ok(actions.length > 25);
    assert.deepEqual(
      actions.filter((name) => !tried.includes(`client.${name}(`)),
      [],
    );
    assert.ok(reasons.includes("`anvil_setRpcUrl`"));
  });
});
