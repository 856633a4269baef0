import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { AbiCoder, ContractFactory, JsonRpcProvider, Wallet } from "ethers";
import { contractNamed } from "../support/contracts.ts";
import { openExplorers } from "../support/hardhat2.ts";
import { KEYS, NETWORKS, startNetworks } from "../support/networks.ts";
import { get } from "../support/program.ts";
import { COMPILER, compile, inputOf, VerifyingNetwork } from "../support/verification.ts";
import { until } from "../support/waiting.ts";

/** hardhat-verify's explorer client, as far as used here. */
interface Explorer {
  isVerified(address: string): Promise<boolean>;
}

/** The class for Etherscan calls any action. */
interface CallingExplorer extends Explorer {
  customApiCall(params: Readonly<Record<string, string>>, options?: object): Promise<Answer>;
}

interface Answer {
  readonly status: string;
  readonly message: string;
  readonly result: unknown;
}

interface ExplorerOptions {
  readonly chainId?: number;
  readonly url: string;
  readonly apiUrl: string;
  readonly apiKey?: string;
}

type ExplorerClass<T> = new (options: ExplorerOptions) => T;

/** The classes are not exported, so they are imported by their files. */
const { resolve } = createRequire(fileURLToPath(new URL("../nodes/package.json", import.meta.url)));
const folder = join(dirname(resolve("@nomicfoundation/hardhat-verify/package.json")), "dist", "src", "internal");
const load = async (file: string) => import(pathToFileURL(join(folder, file)).href) as Promise<unknown>;
const { Etherscan } = (await load("etherscan.js")) as { Etherscan: ExplorerClass<CallingExplorer> };
const { Blockscout } = (await load("blockscout.js")) as { Blockscout: ExplorerClass<Explorer> };

const { urls } = await startNetworks(after);

for (const { name, chainId } of NETWORKS) {
  describe(`hardhat-verify on ${name}`, () => {
    const url = urls[name]!;
    let contract: string;

    before(async () => {
      const node = new JsonRpcProvider(`${url}/rpc`, chainId, { cacheTimeout: -1, pollingInterval: 50 });
      const wallet = new Wallet(KEYS[1]!, node);
      const { abi, bytecode } = contractNamed("ERC20PresetFixedSupply");
      const token = await new ContractFactory(abi, bytecode, wallet).deploy("Real", "REAL", 1000n, wallet.address);
      const { blockNumber } = (await token.deploymentTransaction()!.wait())!;
      contract = await token.getAddress();
      node.destroy();
      await until("the block is indexed", async () => {
        const { body } = await get(`${url}/status`);
        return ((body.indexed as { number: number } | null)?.number ?? -1) >= blockNumber;
      });
    });

    const explorers: readonly [name: string, open: (apiUrl: string) => Explorer][] = [
      ["Etherscan", (apiUrl) => new Etherscan({ chainId, url, apiUrl, apiKey: "any" })],
      ["Blockscout", (apiUrl) => new Blockscout({ url, apiUrl })],
      ["Blockscout with a key", (apiUrl) => new Blockscout({ url, apiUrl, apiKey: "any" })],
    ];

    for (const [client, open] of explorers) {
      test(`4.2 contract/getsourcecode: ${client} reads what is not verified as that, under every path`, async () => {
        for (const path of ["/api", "/api/", "/api/v1", "/v2/api"]) {
          const explorer = open(`${url}${path}`);
          for (const address of [contract, contract.toLowerCase(), `0x${"12".repeat(20)}`]) {
            assert.equal(await explorer.isVerified(address), false);
          }
        }
      });
    }

    test("4.2 contract/getabi, logs/getLogs: Etherscan calls them, with GET and with POST", async () => {
      const explorer = new Etherscan({ chainId, url, apiUrl: `${url}/api`, apiKey: "any" });
      const abi = { module: "contract", action: "getabi", address: contract };
      const unverified = "Contract source code not verified";
      assert.deepEqual(await explorer.customApiCall(abi), { status: "0", message: unverified, result: unverified });
      const range = { module: "logs", action: "getLogs", fromBlock: "0", toBlock: "latest" };
      const got = await explorer.customApiCall({ ...range, address: contract });
      assert.deepEqual([got.status, got.message, (got.result as unknown[]).length], ["1", "OK", 1]);
      const posted = await explorer.customApiCall(range, { method: "POST", body: { address: contract } });
      assert.deepEqual(posted, got);
    });

    test("an explorer of another chain is refused as such", async () => {
      const other = new Etherscan({ chainId: 1, url, apiUrl: `${url}/api`, apiKey: "any" });
      const { status, result } = await other.customApiCall({ module: "block", action: "eth_block_number" });
      assert.equal(status, "0");
      assert.match(String(result), /^Missing or unsupported chainid parameter/);
    });
  });
}

describe("hardhat-verify 2", { concurrency: true }, async () => {
  const network = new VerifyingNetwork(urls.testnet!);
  after(() => network.close());

  for (const [name, explorer] of Object.entries(await openExplorers(network))) {
    // A contract of its own for each, since what has the code of a verified contract counts as verified.
    const source = `pragma solidity ^0.8.0;
contract For${name} {
  uint256 public immutable start;
  constructor(uint256 from) { start = from; }
  function next() external view returns (uint256) { return start + 1; }
}`;
    const path = `contracts/For${name}.sol`;
    const of = (content: string) => inputOf({ [path]: content });
    const contract = `${path}:For${name}`;
    const args = AbiCoder.defaultAbiCoder().encode(["uint256"], [42n]).slice(2);
    const deployed = await network.deploy(compile(of(source), contract), 42n);
    const submit = (address: string, content: string) =>
      explorer.verify(address, JSON.stringify(of(content)), contract, COMPILER, args);

    test(`${name}: a wrong source fails, the right one is verified, and then it is already`, async () => {
      const address = deployed;
      assert.equal(await explorer.isVerified(address), false);
      assert.equal(explorer.getContractUrl(address), `${network.url}/address/${address}#code`);

      const wrong = await submit(address, source.replace("start + 1", "start + 2"));
      const failed = await explorer.getVerificationStatus(wrong.message);
      assert.deepEqual([failed.isFailure(), failed.isSuccess()], [true, false]);
      assert.equal(await explorer.isVerified(address), false);

      const right = await submit(address, source);
      await network.outcome(right.message);
      const passed = await explorer.getVerificationStatus(right.message);
      assert.deepEqual([passed.isFailure(), passed.isSuccess()], [false, true]);
      assert.equal(await explorer.isVerified(address), true);
      assert.equal((await network.source(address)).ConstructorArguments, args);

      await assert.rejects(submit(address, source), { name: "ContractAlreadyVerifiedError" });
    });

    test(`${name}: an address without code and an unknown guid are errors of their own`, async () => {
      const nobody = `0x${"17".repeat(20)}`;

      assert.equal(await explorer.isVerified(nobody), false);
      await assert.rejects(submit(nobody, source), { name: "ContractVerificationMissingBytecodeError" });
      const polled = explorer.getVerificationStatus("12".repeat(24));
      await assert.rejects(polled, { name: "ContractStatusPollingResponseNotOkError", message: /Reason: Unknown UID/ });
    });
  }
});
