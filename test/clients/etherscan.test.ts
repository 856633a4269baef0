import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { ContractFactory, EtherscanProvider, Interface, JsonRpcProvider, Wallet } from "ethers";
import { contractNamed } from "../support/contracts.ts";
import { KEYS, NETWORKS, startNetworks } from "../support/networks.ts";
import { get } from "../support/program.ts";
import { until } from "../support/waiting.ts";

const { urls } = await startNetworks(after);

/** The provider as it is, but for where it asks: it knows a fixed list of chains, and has their ids in its URLs. */
class LocalEtherscan extends EtherscanProvider {
  readonly #local: (url: string) => string;

  constructor(origin: string, chainId: number) {
    super("mainnet", "a key");
    this.#local = (url) => url.replace("https://api.etherscan.io", origin).replace("chainid=1", `chainid=${chainId}`);
  }

  override getUrl(module: string, params: Record<string, string>): string {
    return this.#local(super.getUrl(module, params));
  }

  override getPostUrl(): string {
    return this.#local(super.getPostUrl());
  }
}

/** Without whom it was asked of. */
const plain = (record: unknown) =>
  JSON.stringify(record, (key, value: unknown) => (key === "provider" ? undefined : value));

for (const { name, chainId } of NETWORKS) {
  describe(`EtherscanProvider on ${name}`, () => {
    const url = urls[name]!;

    test("it reads balances, code, blocks, transactions, storage and fees, calls and sends, as the node itself", async () => {
      const node = new JsonRpcProvider(`${url}/rpc`, chainId, { cacheTimeout: -1, pollingInterval: 50 });
      const provider = new LocalEtherscan(url, chainId);
      after(() => {
        node.destroy();
        provider.destroy();
      });
      const wallet = new Wallet(KEYS[0]!, node);
      const { abi, bytecode } = contractNamed("ERC20PresetFixedSupply");
      const token = await new ContractFactory(abi, bytecode, wallet).deploy("Real", "REAL", 1000n, wallet.address);
      await token.waitForDeployment();
      const address = await token.getAddress();
      const { hash } = token.deploymentTransaction()!;
      const height = await node.getBlockNumber();
      await until("the block is indexed", async () => {
        const { body } = await get(`${url}/status`);
        return ((body.indexed as { number: number } | null)?.number ?? -1) >= height;
      });

      assert.equal(await provider.getBlockNumber(), await node.getBlockNumber());
      assert.equal(await provider.getBalance(wallet.address), await node.getBalance(wallet.address));
      assert.equal(await provider.getTransactionCount(wallet.address), await node.getTransactionCount(wallet.address));
      assert.equal(await provider.getCode(address), await node.getCode(address));
      assert.equal(await provider.getStorage(address, 2), await node.getStorage(address, 2));
      assert.deepEqual((await provider.getBlock(height))?.toJSON(), (await node.getBlock(height))?.toJSON());
      assert.deepEqual((await provider.getTransaction(hash))?.toJSON(), (await node.getTransaction(hash))?.toJSON());
      const receipt = await node.getTransactionReceipt(hash);
      assert.equal(plain((await provider.getTransactionReceipt(hash))?.toJSON()), plain(receipt?.toJSON()));

      const data = new Interface(abi).encodeFunctionData("balanceOf", [wallet.address]);
      assert.equal(BigInt(await provider.call({ to: address, data })), 1000n);
      const sending = new Interface(abi).encodeFunctionData("transfer", [wallet.address, 2000n]);
      await assert.rejects(provider.call({ to: address, data: sending }), { code: "CALL_EXCEPTION" });
      const reading = { from: wallet.address, to: address, data };
      assert.equal(await provider.estimateGas(reading), await node.estimateGas(reading));

      const populated = await wallet.populateTransaction({ to: wallet.address, value: 1n });
      const sent = await provider.broadcastTransaction(await wallet.signTransaction(populated));
      assert.equal((await node.waitForTransaction(sent.hash))?.status, 1);
      assert.equal(await provider.getContract(address), null);
    });
  });
}
