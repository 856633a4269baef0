import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { getAddress } from "viem";
import { MAX_BLOCKS } from "../src/api/adapter/adapterRoutes.ts";
import type { Hex } from "../src/chain/encoding/hex.ts";
import { fromHex, toHex } from "../src/chain/encoding/hex.ts";
import { FINALIZED_DEPTH } from "../src/chain/finality.ts";
import { NO_EXCHANGES } from "../src/query/exchange/exchangeSettings.ts";
import type { AdapterPool } from "../src/query/pools/adapterPools.ts";
import { MAX_PLACES } from "../src/query/pools/adapterPools.ts";
import { MAX_WAITING } from "../src/query/pools/readyBlock.ts";
import { MAX_EVENT_LOGS, readAdapterLogs } from "../src/query/pools/spanLogs.ts";
import { ExchangeChain } from "./support/exchange/chain.ts";
import { exchangeCode } from "./support/exchange/contracts.ts";
import { IndexedExchange } from "./support/exchange/indexed.ts";
import { expectAdapterEvents } from "./support/exchange/plainAdapter.ts";
import { deployToken, ZERO_ADDRESS } from "./support/exchange/scene.ts";
import { until } from "./support/waiting.ts";

const FORMATS = ["dexscreener", "geckoterminal"] as const;
const DOLLAR = 10n ** 6n;
const ETHER = 10n ** 18n;

let chain: ExchangeChain;
/** No factory is configured: that of Uniswap V2 is known by its code. */
let indexed: IndexedExchange;
let factory: Hex;
const tokens = {} as Record<"USD" | "ALT" | "NONE", Hex>;
let pair: Hex;
/** One of its tokens does not say its decimals. */
let odd: Hex;

before(async () => {
  chain = await ExchangeChain.open();
  factory = await chain.deploy(exchangeCode().UniswapV2Factory, ["address"], chain.builder.address);
  tokens.USD = await deployToken(chain, "USD", 6);
  tokens.ALT = await deployToken(chain, "ALT", 18);
  tokens.NONE = await deployToken(chain, "", null);
  pair = await openPair("ALT");
  odd = await openPair("NONE");
  indexed = await IndexedExchange.open(chain);
});

after(async () => {
  await indexed?.close();
  await chain?.close();
});

async function openPair(name: "ALT" | "NONE"): Promise<Hex> {
  const created = await chain.send(chain.builder, factory, "createPair(address,address)", tokens.USD, tokens[name]);
  const address: Hex = `0x${toHex(created.receipts[0]!.logs[0]!.data).slice(26, 66)}`;
  await give(tokens.USD, address, 7_000_000n * DOLLAR);
  await give(tokens[name], address, 1_000_000n * ETHER);
  await chain.send(chain.builder, address, "mint(address)", chain.builder.address);
  return address;
}

const give = (token: Hex, to: Hex, amount: bigint) =>
  chain.send(chain.builder, token, "mint(address,uint256)", to, amount);

/** Pays both tokens in, and takes some of both. */
async function trade(paid: readonly [usd: bigint, alt: bigint], taken: readonly [usd: bigint, alt: bigint]) {
  await give(tokens.USD, pair, paid[0]);
  await give(tokens.ALT, pair, paid[1]);
  const [out0, out1] = tokens.USD < tokens.ALT ? taken : [taken[1], taken[0]];
  const signature = "swap(uint256,uint256,address,bytes)";
  return chain.send(chain.builder, pair, signature, out0, out1, chain.builder.address, "0x");
}

const listedPair = () => {
  const decimals = tokens.USD < tokens.ALT ? ([6, 18] as const) : ([18, 6] as const);
  return { id: pair, emitter: pair, kind: "pair", decimals } as const;
};

test("pools are listed once their exchange is known by its code, if their tokens say their decimals", async () => {
  await trade([0n, ETHER], [6n * DOLLAR, 0n]);
  for (const rounds of [0, 1]) {
    await indexed.observe(rounds);
    for (const format of FORMATS) {
      assert.equal((await indexed.get(`/${format}/pair?id=${pair}`)).status, 404);
      const { body } = await indexed.get(`/${format}/events?fromBlock=0&toBlock=${chain.height}`);
      assert.deepEqual(body, { events: [] });
    }
  }

  await indexed.observe();

  assert.equal((await indexed.get(`/dexscreener/pair?id=${pair}`)).status, 200);
  assert.equal((await indexed.get(`/dexscreener/pair?id=${odd}`)).status, 404);
  const events = await expectAdapterEvents(indexed, chain, [listedPair()], "a pair");
  assert.deepEqual(
    events.map(({ eventType }) => eventType),
    ["join", "swap"],
  );
});

test("a swap counts by what it moved on balance, and only if that is one token for the other", async () => {
  const start = chain.height + 1;
  await trade([1n * DOLLAR, ETHER], [6n * DOLLAR, 0n]);
  await trade([7n * DOLLAR, ETHER], [6n * DOLLAR, 0n]);
  await trade([7n * DOLLAR, 0n], [6n * DOLLAR, 0n]);
  await trade([1n, 0n], [0n, 1n]);
  await indexed.observe();

  const events = await expectAdapterEvents(indexed, chain, [listedPair()], "odd swaps");

  const own = events.filter(({ block }) => block.blockNumber >= start);
  const isFirst = tokens.USD < tokens.ALT;
  const [usd, alt] = isFirst ? ["0", "1"] : ["1", "0"];
  assert.deepEqual(
    own.map((event) => [event[`asset${usd}Out`], event[`asset${alt}In`], event[`asset${usd}In`], event.priceNative]),
    [
      ["5", "1", undefined, isFirst ? "0.2" : "5"],
      [undefined, undefined, "0.000001", isFirst ? "0.000000000001" : "1000000000000"],
    ],
  );
});

test("a pair says who created it and what it takes, an asset its name and supply", async () => {
  const { number, timestamp, hash } = createdOf(pair);
  const [token0, token1] = [tokens.USD, tokens.ALT].sort();
  for (const format of FORMATS) {
    assert.deepEqual((await indexed.get(`/${format}/pair?id=${getAddress(pair)}`)).body, {
      pair: {
        id: getAddress(pair),
        dexKey: getAddress(factory),
        asset0Id: getAddress(token0!),
        asset1Id: getAddress(token1!),
        createdAtBlockNumber: number,
        createdAtBlockTimestamp: timestamp,
        createdAtTxnId: hash,
        feeBps: 30,
      },
    });
    const [supply] = await chain.call(tokens.USD, chain.height, "totalSupply()");
    const decimals = format === "geckoterminal" ? { decimals: 6 } : {};
    assert.deepEqual((await indexed.get(`/${format}/asset?id=${tokens.USD}`)).body, {
      asset: {
        ...{ id: getAddress(tokens.USD), name: "USD token", symbol: "USD", ...decimals },
        totalSupply: String(Number(supply) / 1e6),
      },
    });
    assert.equal((await indexed.get(`/${format}/asset?id=${tokens.NONE}`)).status, 404);
  }
});

function createdOf(address: Hex) {
  for (let number = 0; ; number++) {
    const { header, transactions, receipts } = chain.node.context.chain.expectBlock(number);
    const logs = receipts.flatMap((receipt) => receipt.logs);
    const isCreation = logs.some((log) => toHex(log.address) === factory && toHex(log.data).includes(address.slice(2)));
    if (isCreation) return { number, timestamp: header.timestamp, hash: toHex(transactions[0]!.hash) };
  }
}

test("what cannot be read or answered is an error with a reason", async () => {
  const { height } = chain;
  const expected: readonly [string, number, RegExp][] = [
    ["/pair", 400, /^id must be/],
    ["/pair?id=0x12", 400, /^id must be/],
    [`/pair?id=${ZERO_ADDRESS}`, 404, /^Not found$/],
    [`/pair?id=0x${"1".repeat(64)}`, 404, /^Not found$/],
    ["/asset", 400, /^id must be/],
    [`/asset?id=0x${"1".repeat(64)}`, 400, /^id must be/],
    [`/asset?id=${pair}`, 404, /^Not found$/],
    ["/events", 400, /^fromBlock must be/],
    ["/events?fromBlock=1", 400, /^toBlock must be/],
    ["/events?fromBlock=1&fromBlock=2&toBlock=3", 400, /^fromBlock must be/],
    ["/events?fromBlock=-1&toBlock=3", 400, /^fromBlock must be/],
    ["/events?fromBlock=0x1&toBlock=3", 400, /^fromBlock must be/],
    ["/events?fromBlock=1.5&toBlock=3", 400, /^fromBlock must be/],
    ["/events?fromBlock=1&toBlock=99999999999999999999", 400, /^toBlock must be/],
    ["/events?fromBlock=2&toBlock=1", 400, /before fromBlock/],
    ["/events?fromBlock=0&toBlock=10000", 400, /^at most 10,000 blocks/],
    [`/events?fromBlock=1&toBlock=${height + 1}`, 503, new RegExp(`^Blocks are indexed up to ${height},`)],
    ["/nothing", 404, /^Not found$/],
  ];
  for (const format of FORMATS) {
    for (const [path, status, reason] of expected) {
      const { status: found, body } = await indexed.get<{ error: string }>(`/${format}${path}`);
      assert.equal(found, status, path);
      assert.match(body.error, reason, path);
      assert.deepEqual(Object.keys(body), ["error"]);
    }
    const posted = await indexed.app.inject({ method: "POST", url: `/${format}/events` });
    assert.equal(posted.statusCode, 405);
  }
});

test("too many logs of pools are refused, unless a single block has them", async () => {
  const pool = { id: 0, type: "v2", address: fromHex(pair), hex: pair };
  const read = (from: number, to: number) =>
    indexed.store.read((session) => readAdapterLogs(session, [{ pool } as unknown as AdapterPool], { from, to }, 2));
  const all = await indexed.store.read((session) =>
    readAdapterLogs(session, [{ pool } as unknown as AdapterPool], { from: 0, to: chain.height }),
  );
  const blocks = all.map(({ log }) => log.header.number);

  await assert.rejects(read(0, chain.height), { code: "limit_exceeded" });

  assert.ok(all.length > 2);
  for (const block of new Set(blocks)) {
    assert.equal((await read(block, block)).length, blocks.filter((other) => other === block).length);
  }
});

test("adapters.md gives the numbers of the program", () => {
  const page = readFileSync("docs/adapters.md", "utf8");
  const shown = (number: number) => number.toLocaleString("en-US");
  for (const text of [
    `At most ${shown(MAX_BLOCKS)} blocks and ${shown(MAX_EVENT_LOGS)} logs of pools`,
    `it is ${FINALIZED_DEPTH} below the newest`,
    `waits for up to ${MAX_WAITING} blocks`,
    `at most ${MAX_PLACES}. Amounts`,
    `${MAX_PLACES} digits after the point`,
  ]) {
    assert.ok(page.includes(text), text);
  }
});

test("the latest block is final, and waits for new pools and tokens to be asked", async (t) => {
  const late = 5;
  const expectLatest = async (index: IndexedExchange, number: number, label: string) => {
    await until(label, async () => {
      const { body } = await index.get<{ block?: { blockNumber: number } }>("/dexscreener/latest-block");
      return body.block?.blockNumber === number;
    });
    const { timestamp } = chain.node.context.chain.expectBlock(number).header;
    const { body } = await index.get("/geckoterminal/latest-block");
    assert.deepEqual(body, { block: { blockNumber: number, blockTimestamp: timestamp } });
  };
  const token = await deployToken(chain, "LATE", 18);
  await chain.idle(MAX_WAITING);
  await chain.send(chain.builder, factory, "createPair(address,address)", token, tokens.USD);
  const created = chain.height;
  await chain.idle(FINALIZED_DEPTH + late);
  await indexed.index();
  await expectLatest(indexed, created - 1, "a pool is new");
  await indexed.observe();
  await expectLatest(indexed, created + late, "it was asked");

  const factories = [{ name: "Uniswap V2", address: factory }];
  const configured = await IndexedExchange.open(chain, { ...NO_EXCHANGES, factories });
  t.after(() => configured.close());
  await chain.send(chain.builder, pair, "sync()");
  const synced = chain.height;
  await chain.idle(FINALIZED_DEPTH + late);
  await configured.index();
  await expectLatest(configured, synced - 1, "tokens were not asked");
  await configured.observe();
  await expectLatest(configured, synced + late, "tokens were asked");
});
