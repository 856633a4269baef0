import assert from "node:assert/strict";
import type { AddressInfo } from "node:net";
import { after, before, describe, test } from "node:test";
import { Ajv2020 } from "ajv/dist/2020.js";
import { createPublicClient, custom } from "viem";
import type {
  CallOptions,
  HttpOptions,
  Paths,
  RpcBlock,
  RpcLog,
  RpcReceipt,
  RpcTransaction,
} from "../../client/src/index.ts";
import { chainAt, mainnet, OrielClient, OrielError, RpcError } from "../../client/src/index.ts";
import type { OpenApiDocument } from "../../src/api/openapi/document.ts";
import { UINT } from "../../src/api/openapi/values.ts";
import { PUBLIC_METHODS } from "../../src/node/rpc/registry.ts";
import { demonstrated } from "../support/demonstrated.ts";
import { FollowedChain } from "../support/followedChain.ts";
import { until } from "../support/waiting.ts";
import { METHODS } from "./rpcNames.ts";

/** The first 41 deploy what there is. */
const BLOCKS = 46;

let followed: FollowedChain;
let url: string;
let document: OpenApiDocument;

before(async () => {
  const { node, demonstration } = await demonstrated({ seed: "client", blocks: BLOCKS });
  await demonstration.buildPast();
  followed = await FollowedChain.open({ after: () => {} }, { chain: node, rpc: true });
  followed.start();
  await followed.settle();
  await followed.app.listen({ host: "127.0.0.1", port: 0 });
  url = `http://127.0.0.1:${(followed.app.server.address() as AddressInfo).port}`;
  const pools = async () => (await followed.get("/api/v1/pools")).body.data as unknown[];
  await until("its pools are confirmed", async () => (await pools()).length > 2);
  document = (await followed.get("/openapi.json")).body as unknown as OpenApiDocument;
});

after(() => followed.close());

/** A client, and the statuses of what it was answered. */
function watched(options: HttpOptions = {}) {
  const statuses: number[] = [];
  const fetchWatched: typeof fetch = async (...request) => {
    const response = await fetch(...request);
    statuses.push(response.status);
    return response;
  };
  return { client: new OrielClient(url, { ...options, fetch: fetchWatched }), statuses };
}

const collect = async <T>(items: AsyncIterable<T>) => await Array.fromAsync(items);

describe("amounts", () => {
  const noted = new Set<bigint>();
  let ajv: Ajv2020;

  before(() => {
    const note = (text: string) => /^(\d+|0x[0-9a-f]+)$/.test(text) && noted.add(BigInt(text)) !== undefined;
    ajv = new Ajv2020({ allErrors: false, allowUnionTypes: true, formats: { [UINT]: note } });
    ajv.addVocabulary(["openapi", "info", "servers", "tags", "paths", "components"]);
    ajv.addSchema({ ...document, $id: "api" });
  });

  /** Values of a response that the schemas mark as amounts, by the validator, which shares no code with the client. */
  function marked(schema: string, body: unknown): Set<bigint> {
    const validate = ajv.getSchema(`api#/${schema}`)!;
    noted.clear();
    assert.ok(validate(body), JSON.stringify(validate.errors));
    return new Set(noted);
  }

  const step = (text: string) => encodeURIComponent(text.replaceAll("~", "~0").replaceAll("/", "~1"));

  function bigints(value: unknown, found = new Set<bigint>()): Set<bigint> {
    if (typeof value === "bigint") found.add(value);
    if (typeof value === "object" && value !== null) for (const inner of Object.values(value)) bigints(inner, found);
    return found;
  }

  const asWritten = (value: unknown) =>
    JSON.parse(JSON.stringify(value, (_, inner) => (typeof inner === "bigint" ? String(inner) : inner))) as unknown;

  test("are big integers exactly where the schemas say, and everything else is as it was sent", async () => {
    const client = new OrielClient(url, { retries: 0 });
    const [block] = (await client.get("/api/v2/blocks")).items;
    const [token] = (await client.get("/api/v2/tokens")).items;
    const [tx] = (await client.get("/api/v2/transactions")).items;
    const [pool] = (await client.get("/api/v1/pools")).data;
    const values = { id: block!.height, hash: tx!.hash, q: token!.symbol, chainId: 677 };
    const addresses: Record<string, string> = {
      tokens: token!.address_hash,
      addresses: tx!.from.hash,
      pools: pool!.poolId,
      users: tx!.from.hash,
      "smart-contracts": token!.address_hash,
    };
    const paths = Object.entries(document.paths).filter(([path, { get }]) => {
      const answer = get?.responses[200]?.content?.["application/json"];
      return (
        answer !== undefined && !get!.tags.includes("Module/action") && !/^\/v2\/|instances\/|blobs\/\{/.test(path)
      );
    });
    const queries: Record<string, object> = {
      quote: { tokenIn: pool!.baseTokenAddress, tokenOut: pool!.quoteTokenAddress, amount: "1000" },
      asset: { id: pool!.baseTokenAddress },
      pair: { id: pool!.poolId },
      events: { fromBlock: 0, toBlock: block!.height },
    };
    let amounts = 0;

    for (const [path] of paths) {
      const address = addresses[path.split("/")[3]!];
      const parameters = path.includes("{") || /\/search\b/.test(path) ? { ...values, address } : {};
      const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
      const used = Object.fromEntries(
        Object.entries(parameters).filter(([name]) => names.includes(name) || (name === "q" && names.length === 0)),
      );
      const get = client.get.bind(client) as (path: string, parameters: object) => Promise<unknown>;
      const query = names.length === 0 ? queries[path.split("/").at(-1)!] : undefined;
      const position = path.endsWith("/liquidity") && { position: pool!.poolId };
      const read = await get(path, query ?? { ...used, ...position }).catch((error: unknown) => error as OrielError);
      if (read instanceof OrielError) {
        assert.ok([404, 501, 503].includes(read.status), `${path} ${read.message}`);
        continue;
      }
      const sent = asWritten(read);
      const expected = marked(`paths/${step(path)}/get/responses/200/content/${step("application/json")}/schema`, sent);
      assert.deepEqual(bigints(read), expected, path);
      amounts += expected.size;
    }

    assert.ok(paths.length > 60 && amounts > 200, `${paths.length} paths, ${amounts} amounts`);
  });

  test("of actions are big integers too, those that are written in hex as well", async () => {
    const client = new OrielClient(url);
    const [{ from } = assert.fail()] = (await client.get("/api/v2/transactions")).items;
    const [token = assert.fail()] = (await client.get("/api/v2/tokens")).items;

    const rows = await client.action("account", "txlist", { address: from.hash });
    const balance = await client.action("account", "balance", { address: from.hash });
    const logs = await client.action("logs", "getLogs", {
      fromBlock: 0,
      toBlock: "latest",
      address: token.address_hash,
    });
    const number = await client.action("block", "eth_block_number");
    const supply = await client.action("stats", "tokensupply", { contractaddress: token.address_hash });

    const [row] = rows;
    const { result } = (await followed.get(`/api?module=account&action=txlist&address=${from.hash}`)).body;
    assert.deepEqual(asWritten(rows), result);
    assert.equal(typeof row!.value, "bigint");
    assert.equal(balance, BigInt(await client.rpc("eth_getBalance", [from.hash, "latest"])));
    assert.equal(typeof logs[0]!.gasPrice, "bigint");
    assert.equal(number, BigInt(await client.rpc("eth_blockNumber")));
    assert.equal(supply, token.total_supply);
  });
});

describe("pages", () => {
  test("have each item once while blocks are added", async () => {
    const client = new OrielClient(url);
    const total = (await client.get("/api/v2/transactions")).total_count!;
    const hashes: string[] = [];
    let pages = 0;

    for await (const page of client.pages("/api/v2/transactions", { page_size: 40 })) {
      hashes.push(...page.items.map(({ hash }) => hash));
      if (pages++ === 0) await mine();
    }

    assert.ok(pages > 2, `${pages}`);
    assert.deepEqual([hashes.length, new Set(hashes).size], [total, total]);
  });

  test("of the exchange data API are read to the end", async () => {
    const client = new OrielClient(url);
    const [busiest] = (await client.get("/api/v1/pools")).data;
    const address = busiest!.poolId;

    const pools = await collect(client.items("/api/v1/pools", { page_size: 2 }));
    const swaps = await collect(client.items("/api/v1/pools/{address}/swaps", { address, page_size: 1 }));

    const { meta } = await client.get("/api/v1/pools/{address}/swaps", { address });
    assert.equal(new Set(pools.map(({ poolId }) => poolId)).size, (await client.get("/api/v1/pools")).meta.total);
    assert.equal(swaps.length, meta.total);
  });

  test("are read only as far as they are asked for", async () => {
    const { client, statuses } = watched();

    let seen = 0;
    for await (const _ of client.items("/api/v2/blocks", { page_size: 5 })) if (++seen === 5) break;

    assert.equal(statuses.length, 1);
  });
});

async function mine(): Promise<void> {
  await followed.chain.send({ value: 1n });
  await followed.settle();
}

describe("an answer", () => {
  test("that has not changed is not sent again, and is the same object", async () => {
    const { client, statuses } = watched();
    const read = () => client.get("/api/v2/blocks", { page_size: 3 });

    const [first, second] = [await read(), await read()];
    await mine();
    const third = await read();

    assert.equal(first, second);
    assert.deepEqual(statuses, [200, 304, 200]);
    assert.equal(third.items[0]!.height, first.items[0]!.height + 1);
  });

  test("is forgotten when more are kept than allowed", async () => {
    const { client, statuses } = watched({ cacheSize: 1 });

    for (const id of [1, 2, 1]) await client.get("/api/v2/blocks/{id}", { id });

    assert.deepEqual(statuses, [200, 200, 200]);
  });

  test("that is a refusal says why", async () => {
    const client = new OrielClient(url);
    const refusal = (call: Promise<unknown>) =>
      call.then(
        () => assert.fail("it is answered"),
        (error: unknown) => error as OrielError & RpcError,
      );

    const missing = await refusal(client.get("/api/v2/blocks/{id}", { id: 10n ** 9n }));
    const invalid = await refusal(client.get("/api/v2/tokens", { page: -1 }));
    const action = await refusal(client.action("account", "balance", { address: "0x1" }));
    const method = await refusal(client.request({ method: "eth_unheardOf" }));
    const proxied = await refusal(client.action("proxy", "eth_getCode", { address: "0x1" }));

    assert.ok(missing instanceof OrielError && invalid instanceof OrielError && action instanceof OrielError);
    assert.ok(method instanceof RpcError && proxied instanceof RpcError);
    assert.deepEqual([missing.status, missing.message], [404, "404: Not found"]);
    assert.match(invalid.message, /^422: \/page: /);
    assert.deepEqual([action.message, (action.body as { status: string }).status], ["Invalid address hash", "0"]);
    assert.deepEqual([method.code, proxied.code], [-32_601, -32_602]);
  });

  test("that is an empty list of an action is empty", async () => {
    const address = `0x${"77".repeat(20)}` as const;

    assert.deepEqual(await new OrielClient(url).action("account", "txlist", { address }), []);
  });

  test("is not waited for once the signal aborts", async () => {
    const options: CallOptions = { signal: AbortSignal.abort(new Error("enough")) };

    await assert.rejects(new OrielClient(url).get("/api/v2/stats", {}, options), /enough/);
  });
});

describe("JSON-RPC", () => {
  test("has the public methods of the node, and no other", () => {
    assert.deepEqual(Object.keys(METHODS).sort(), Object.keys(PUBLIC_METHODS).sort());
  });

  test("has every field of blocks, transactions, receipts and logs", async () => {
    const client = new OrielClient(url);
    const head = Number(await client.rpc("eth_blockNumber"));
    const seen = {
      block: new Set<string>(),
      transaction: new Set<string>(),
      receipt: new Set<string>(),
      log: new Set<string>(),
    };
    const note = (kind: keyof typeof seen, record: object) => {
      for (const key of Object.keys(record)) seen[kind].add(key);
    };

    for (let number = 0; number <= head; number++) {
      const block = await client.rpc("eth_getBlockByNumber", [`0x${number.toString(16)}`, true]);
      const receipts = await client.rpc("eth_getBlockReceipts", [`0x${number.toString(16)}`]);
      note("block", block!);
      for (const tx of block!.transactions) note("transaction", tx as RpcTransaction);
      for (const receipt of receipts!) note("receipt", receipt);
      for (const log of receipts!.flatMap(({ logs }) => logs)) note("log", log);
    }

    for (const kind of ["block", "transaction", "receipt", "log"] as const) {
      const unknown = [...seen[kind]].filter((key) => !(key in FIELDS[kind]));
      const missing = Object.entries(FIELDS[kind]).filter(([key, isAlways]) => isAlways && !seen[kind].has(key));
      assert.deepEqual([unknown, missing], [[], []], kind);
    }
  });

  test("is a transport of viem", async () => {
    const client = createPublicClient({ chain: chainAt(mainnet, url), transport: custom(new OrielClient(url)) });

    const block = await client.getBlock({ blockNumber: 3n });

    assert.equal(block.hash, (await new OrielClient(url).get("/api/v2/blocks/{id}", { id: 3 })).hash);
    await assert.rejects(client.request({ method: "eth_unheardOf" as never }), /does not exist/);
  });
});

/** Whether each field is always there; the compiler compares the names with the types. */
type Always<T> = { readonly [K in keyof Required<T>]: undefined extends T[K] ? false : boolean };

const FIELDS: {
  block: Always<RpcBlock>;
  transaction: Always<RpcTransaction>;
  receipt: Always<RpcReceipt>;
  log: Always<RpcLog>;
} = {
  block: {
    number: true,
    hash: true,
    parentHash: true,
    timestamp: true,
    miner: true,
    nonce: true,
    mixHash: true,
    sha3Uncles: true,
    stateRoot: true,
    transactionsRoot: true,
    receiptsRoot: true,
    logsBloom: true,
    difficulty: true,
    totalDifficulty: false,
    extraData: true,
    size: true,
    gasLimit: true,
    gasUsed: true,
    baseFeePerGas: false,
    withdrawalsRoot: false,
    withdrawals: false,
    blobGasUsed: false,
    excessBlobGas: false,
    parentBeaconBlockRoot: false,
    requestsHash: false,
    transactions: true,
    uncles: true,
  },
  transaction: {
    hash: true,
    type: true,
    nonce: true,
    blockHash: true,
    blockNumber: true,
    blockTimestamp: false,
    transactionIndex: true,
    from: true,
    to: true,
    value: true,
    gas: true,
    gasPrice: false,
    maxFeePerGas: false,
    maxPriorityFeePerGas: false,
    maxFeePerBlobGas: false,
    blobVersionedHashes: false,
    accessList: false,
    authorizationList: false,
    input: true,
    chainId: false,
    v: true,
    r: true,
    s: true,
    yParity: false,
  },
  receipt: {
    transactionHash: true,
    transactionIndex: true,
    blockHash: true,
    blockNumber: true,
    blockTimestamp: false,
    from: true,
    to: true,
    type: true,
    status: true,
    contractAddress: true,
    cumulativeGasUsed: true,
    gasUsed: true,
    effectiveGasPrice: true,
    blobGasUsed: false,
    blobGasPrice: false,
    logs: true,
    logsBloom: true,
  },
  log: {
    address: true,
    topics: true,
    data: true,
    blockNumber: true,
    blockHash: true,
    blockTimestamp: false,
    transactionHash: true,
    transactionIndex: true,
    logIndex: true,
    removed: true,
  },
};

test("types name the paths, parameters and fields that are there", () => {
  const client = new OrielClient(url);
  const answer = {} as Paths["/api/v2/blocks/{id}"]["answer"];

  const uses = () => [
    client.get("/api/v2/stats"),
    client.items("/api/v2/tokens", { type: "ERC-20" }),
    // @ts-expect-error there is no such path
    client.get("/api/v2/unheard"),
    // @ts-expect-error the parameter in braces is missing
    client.get("/api/v2/blocks/{id}"),
    // @ts-expect-error there is no such parameter
    client.get("/api/v2/blocks", { size: 1 }),
    // @ts-expect-error it is not a list
    client.items("/api/v2/stats"),
    // @ts-expect-error the action needs an address
    client.action("account", "balance", {}),
    // @ts-expect-error there is no such method
    client.rpc("eth_unheardOf"),
    // @ts-expect-error the method needs parameters
    client.rpc("eth_getBlockByNumber"),
    answer.gas_used satisfies bigint | undefined,
    answer.height satisfies number | undefined,
  ];

  assert.equal(typeof uses, "function");
});
