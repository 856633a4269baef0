import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { test } from "node:test";
import { ChainError } from "../../src/chain/error.ts";
import { ContractStore } from "../../src/store/contracts/contractStore.ts";
import { IN_MEMORY } from "../../src/store/engine/databases.ts";
import { Compilers } from "../../src/verify/compilers.ts";
import type { Served, ServeOptions } from "../support/api.ts";
import { serveChain } from "../support/api.ts";
import { temporaryDirectory } from "../support/program.ts";
import { simulatedSource } from "../support/simulatedSource.ts";

interface Answer {
  readonly http: number;
  readonly status: string;
  readonly message: string;
  readonly result: unknown;
}

async function serve(t: TestContext, options: Partial<ServeOptions> = {}): Promise<Served> {
  const served = await serveChain({
    seed: 3,
    blocks: 8,
    tokens: true,
    traffic: { transactions: [20, 30] },
    ...options,
  });
  t.after(() => served.close());
  return served;
}

async function ask({ app }: Served, module: string, action: string, parameters: object = {}): Promise<Answer> {
  const pairs = Object.entries({ module, action, ...parameters }).map(([name, value]) => [name, String(value)]);
  const response = await app.inject(`/api?${new URLSearchParams(pairs)}`);
  return { http: response.statusCode, ...response.json<Omit<Answer, "http">>() };
}

/** A contract that a transaction deployed. */
function deployedIn({ chain }: Served): string {
  for (let number = 0; number < chain.length; number++) {
    const found = chain.at(number)!.receipts.find(({ status, contractAddress }) => status !== "0x0" && contractAddress);
    if (found !== undefined) return String(found.contractAddress);
  }
  throw new Error("no contract was deployed");
}

test("4.2 contract/getabi and getsourcecode: without the node nobody says that a contract is not verified", async (t) => {
  const contracts = await ContractStore.open(IN_MEMORY);
  t.after(() => contracts.close());
  const compilers = new Compilers({ cache: temporaryDirectory(t), fetches: false });
  const silent = async () => {
    throw new ChainError("upstream_unavailable", "no node");
  };
  const served = await serve(t, {
    verification: { contracts, compilers },
    source: (chain) => ({ ...simulatedSource(chain), request: silent, requests: silent }),
  });
  const address = deployedIn(served);

  for (const action of ["getabi", "getsourcecode"]) {
    const { http, status, message } = await ask(served, "contract", action, { address });
    assert.deepEqual([http, status], [503, "0"], action);
    assert.match(message, /node/);
  }
  const proxy = await ask(served, "contract", "checkproxyverification", { guid: address.slice(2) });
  assert.deepEqual([proxy.http, proxy.status], [503, "0"]);
});

test("account/txlistinternal: status 2 for an untraced transaction", async (t) => {
  const served = await serve(t, {
    source: (chain) => {
      const source = simulatedSource(chain);
      const request: typeof source.request = async (method, params) => {
        if (/trace/.test(method)) throw new ChainError("upstream_rejected", "the method does not exist");
        return source.request(method, params);
      };
      return { ...source, request };
    },
  });
  const txhash = served.chain.at(2)!.block.transactions[0]!.hash;

  assert.deepEqual(await ask(served, "account", "txlistinternal", { txhash }), {
    http: 200,
    status: "2",
    message: "Internal transactions for this transaction have not been processed yet",
    result: [],
  });
});

test("account/getminedblocks and block/getblockreward: nobody was paid for the first block", async (t) => {
  const served = await serve(t, { settings: { blockReward: 7n } });
  const reward = async (blockno: number) =>
    ((await ask(served, "block", "getblockreward", { blockno })).result as { blockReward: string }).blockReward;
  const mined = async (number: number) => {
    const { miner } = served.chain.at(number)!.block as unknown as { miner: string };
    const { result } = await ask(served, "account", "getminedblocks", { address: miner, sort: "asc" });
    const rows = result as { blockNumber: string; blockReward: string }[];
    return rows.find(({ blockNumber }) => blockNumber === String(number))?.blockReward;
  };

  assert.deepEqual([await reward(0), await mined(0)], ["0", "0"]);
  assert.ok(BigInt(await reward(1)) >= 7n);
  assert.equal(await mined(1), await reward(1));
});

test("missing records have the messages that clients know", async (t) => {
  const served = await serve(t);
  const address = `0x${"12".repeat(20)}`;
  const cases: readonly [action: string, parameters: object, message: string, result?: unknown][] = [
    ["account/tokentx", {}, "Query parameter address or contractaddress is required"],
    ["account/tokentx", { contractaddress: "0x1" }, "Invalid contract address format"],
    ["account/tokenlist", { address }, "No tokens found", []],
    ["account/txlist", { address }, "No transactions found", []],
    ["account/listaccounts", { page: 1000 }, "No accounts found", []],
    ["contract/getcontractcreation", { contractaddresses: address }, "No data found", []],
    ["contract/listcontracts", { filter: "all" }, FILTERS],
    ["stats/tokensupply", { contractaddress: "0x1" }, "Invalid contract address format"],
    ["token/getToken", { contractaddress: "0x1" }, "Invalid contract address hash"],
    ["token/getTokenHolders", { contractaddress: address }, "Contract address not found"],
    ["block/getblockreward", { blockno: "x" }, "Invalid block number"],
    ["block/getblockreward", {}, "Query parameter 'blockno' is required"],
  ];

  for (const [name, parameters, message, result = message] of cases) {
    const [module, action] = name.split("/");
    const expected = { http: 200, status: "0", message, result };
    assert.deepEqual(await ask(served, module!, action!, parameters), expected, name);
  }
});

const FILTERS = "Invalid filter. Please use one of: verified, 1, unverified, 2, empty, 3";
