import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { ContractFactory, JsonRpcProvider, Wallet } from "ethers";
import { contractNamed } from "../support/contracts.ts";
import { KEYS, NETWORKS, startNetworks } from "../support/networks.ts";
import { get, until } from "../support/program.ts";

/** What hardhat-verify has for an explorer, as far as it is used here. */
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
