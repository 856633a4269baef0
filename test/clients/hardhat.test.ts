import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Hex } from "viem";
import { pad, parseEther, toHex } from "viem";
import { contractNamed } from "../support/contracts.ts";
import type { HardhatConnection, NetworkHelpers } from "../support/hardhat.ts";
import { connectHardhat } from "../support/hardhat.ts";
import { NETWORKS, startNetworks } from "../support/networks.ts";

const { urls } = await startNetworks(after);

/** Nobody has the key of it. */
const KEYLESS: Hex = "0x000000000000000000000000000000000000bEEF";
/** Answers what its first slot holds. */
const READS_SLOT: Hex = "0x5f545f5260205ff3";

interface Block {
  readonly number: Hex;
  readonly timestamp: Hex;
  readonly gasLimit: Hex;
  readonly baseFeePerGas: Hex;
  readonly mixHash: Hex;
  readonly miner: Hex;
}

for (const { name } of NETWORKS) {
  describe(`hardhat with its plugins on ${name}`, () => {
    let hardhat: HardhatConnection;
    let helpers: NetworkHelpers;

    before(async () => {
      hardhat = await connectHardhat(`${urls[name]}/rpc`);
      helpers = hardhat.networkHelpers;
    });

    after(() => hardhat.close());

    const request = async <T>(method: string, ...params: unknown[]) =>
      (await hardhat.provider.request({ method, params })) as T;

    const latest = () => request<Block>("eth_getBlockByNumber", "latest", false);

    test("the node names itself as one that the helpers work with", async () => {
      assert.match(await request("web3_clientVersion"), /^anvil\/oriel\//);
    });

    test("accounts are what the helpers set, from any block on", async () => {
      await helpers.setBalance(KEYLESS, 12345n);
      await helpers.setNonce(KEYLESS, 7);
      await helpers.setCode(KEYLESS, READS_SLOT);
      await helpers.setStorageAt(KEYLESS, 0, 99);

      assert.equal(await request("eth_getBalance", KEYLESS, "latest"), toHex(12345));
      assert.equal(await request("eth_getTransactionCount", KEYLESS, "latest"), "0x7");
      assert.equal(await helpers.getStorageAt(KEYLESS, 0), pad(toHex(99)));
      assert.equal(await helpers.getStorageAt(KEYLESS, 0, "pending"), pad(toHex(99)));
      assert.equal(await request("eth_call", { to: KEYLESS }), pad(toHex(99)));
    });

    test("an account without a key sends while it is impersonated", async () => {
      const [signer] = await hardhat.ethers.getSigners();
      const from: Hex = `0x${"cd".repeat(20)}`;
      const send = () => request<Hex>("eth_sendTransaction", { from, to: signer!.address, value: "0x1" });
      await helpers.setBalance(from, parseEther("1"));

      await helpers.impersonateAccount(from);
      const hash = await send();
      await helpers.stopImpersonatingAccount(from);

      const receipt = await request<{ from: Hex; status: Hex }>("eth_getTransactionReceipt", hash);
      assert.deepEqual([receipt.from, receipt.status], [from, "0x1"]);
      await assert.rejects(send(), /unknown account/);
    });

    test("the time helpers work", async () => {
      const start = await helpers.time.latest();

      const increased = await helpers.time.increase(3600);
      await helpers.time.increaseTo(start + 10_000);
      const reached = await helpers.time.latest();
      await helpers.time.setNextBlockTimestamp(start + 20_000);
      await helpers.mine();

      assert.deepEqual([increased - start, reached - start], [3600, 10_000]);
      assert.equal((await helpers.time.latest()) - start, 20_000);
    });

    test("the mining helpers mine the requested number, interval and height", async () => {
      const [number, time] = [await helpers.time.latestBlock(), await helpers.time.latest()];
      await helpers.time.setNextBlockTimestamp(time + 1);

      await helpers.mine(3, { interval: 60 });
      const elapsed = (await helpers.time.latest()) - time;
      await helpers.mineUpTo(number + 10);

      assert.equal(elapsed, 121);
      assert.equal(await helpers.time.latestBlock(), number + 10);
    });

    test("the next block has what the helpers set", async () => {
      const before = await latest();
      await helpers.setNextBlockBaseFeePerGas(777);
      await helpers.setPrevRandao(5);
      await helpers.setCoinbase(KEYLESS);
      await helpers.setBlockGasLimit(20_000_000);

      await helpers.mine();

      const block = await latest();
      assert.deepEqual([block.baseFeePerGas, block.mixHash, block.gasLimit], [toHex(777), pad("0x5"), toHex(2e7)]);
      assert.equal(block.miner, KEYLESS.toLowerCase());
      await helpers.setBlockGasLimit(BigInt(before.gasLimit));
      await helpers.setCoinbase(before.miner);
    });

    test("what waits is dropped", async () => {
      const [signer] = await hardhat.ethers.getSigners();
      await request("evm_setAutomine", false);
      const { hash } = await signer!.sendTransaction({ to: KEYLESS });

      assert.equal(await helpers.dropTransaction(hash as Hex), true);
      assert.equal(await helpers.dropTransaction(hash as Hex), false);
      await request("evm_setAutomine", true);
      assert.equal(await request("eth_getTransactionByHash", hash), null);
    });

    test("a snapshot is restored again and again", async () => {
      const number = await helpers.time.latestBlock();
      const snapshot = await helpers.takeSnapshot();

      for (let round = 0; round < 3; round++) {
        await helpers.mine(2);
        await helpers.setBalance(KEYLESS, 1n);
        await snapshot.restore();

        assert.equal(await helpers.time.latestBlock(), number);
        assert.equal(await request("eth_getBalance", KEYLESS, "latest"), toHex(12345));
      }
    });

    test("a fixture is made once and loaded as it was", async () => {
      let made = 0;
      const { abi, bytecode } = contractNamed("ERC20PresetFixedSupply");
      const deployToken = async () => {
        made++;
        const [owner, other] = await hardhat.ethers.getSigners();
        const factory = new hardhat.ethers.ContractFactory(abi, bytecode, owner);
        const token = await factory.deploy("Fixture", "FIX", 1000n, owner!.address);
        await token.waitForDeployment();
        return { token, owner: owner!, other: other! };
      };

      for (let round = 0; round < 3; round++) {
        const { token, other } = await helpers.loadFixture(deployToken);
        const balanceOf = (address: string) => token.getFunction("balanceOf").staticCall(address) as Promise<bigint>;
        assert.equal(await balanceOf(other.address), 0n);
        await (await token.getFunction("transfer").send(other.address, 10n)).wait();
        assert.equal(await balanceOf(other.address), 10n);
      }

      assert.equal(made, 1);
      helpers.clearSnapshots();
    });

    test("viem's clients of hardhat read, send and mine", async () => {
      const [client, tester] = [await hardhat.viem.getPublicClient(), await hardhat.viem.getTestClient()];
      const [wallet] = await hardhat.viem.getWalletClients();
      const value = 5n;

      const hash = await wallet!.sendTransaction({
        account: wallet!.account,
        chain: null,
        to: `0x${"ce".repeat(20)}`,
        value,
      });
      const receipt = await client.waitForTransactionReceipt({ hash });
      await tester.mine({ blocks: 2 });

      assert.equal(receipt.status, "success");
      assert.equal(await client.getBalance({ address: `0x${"ce".repeat(20)}` }), value);
      assert.ok((await client.getBlockNumber({ cacheTime: 0 })) >= receipt.blockNumber + 2n);
    });
  });
}
