import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createApp } from "../src/api/app.ts";
import type { Hex } from "../src/chain/encoding/hex.ts";
import { STEADY_BLOCKS } from "../src/query/exchange/poolWindow.ts";
import { SETTINGS } from "./support/api.ts";
import { ExchangeChain } from "./support/exchange/chain.ts";
import { exchangeCode } from "./support/exchange/contracts.ts";
import { exchangeSettings, IndexedExchange } from "./support/exchange/indexed.ts";
import type { ExchangeScene } from "./support/exchange/scene.ts";
import { buildScene, createdIn, deployToken, PAIR_CREATED } from "./support/exchange/scene.ts";

interface Entry {
  readonly id: number;
  readonly token_address: string;
  readonly symbol: string;
  readonly name: string;
  readonly decimals: number;
  readonly dex: string;
  readonly poolId: string;
  readonly pair: string;
  readonly first_seen_at: string;
}

interface Listed {
  readonly data: readonly Entry[];
  readonly meta: Readonly<Record<string, unknown>>;
}

let chain: ExchangeChain;
let scene: ExchangeScene;
let indexed: IndexedExchange;

before(async () => {
  chain = await ExchangeChain.open();
  scene = await buildScene(chain);
  await chain.idle(STEADY_BLOCKS);
  indexed = await IndexedExchange.open(chain, exchangeSettings(scene));
  await indexed.observe();
});

after(async () => {
  await indexed.close();
  await chain.close();
});

async function list(path: string): Promise<Listed> {
  const { status, body } = await indexed.get<Listed>(`/api/v1${path}`);
  assert.equal(status, 200, path);
  return body;
}

const tokens = async (query = "") => (await list(`/tokens${query}`)).data;
const addressesOf = (entries: readonly Entry[]) => entries.map((entry) => entry.token_address.toLowerCase());

async function createPair(factory: Hex, one: Hex, other: Hex): Promise<Hex> {
  const block = await chain.send(chain.builder, factory, "createPair(address,address)", one, other);
  return createdIn(block, PAIR_CREATED);
}

test("contracts without code are no tokens, and what is made of them are no pairs", async () => {
  const before = await Promise.all(["/tokens", "/pairs", "/pools?page_size=100"].map(list));
  const codeless = (at: number): Hex => `0x${(0xbad0_0000 + at).toString(16).repeat(5)}`;
  const made: Hex[] = [];
  for (let at = 0; at < 12; at++) {
    made.push(
      await createPair(scene.v2.factory, codeless(at), at % 2 === 0 ? codeless(at + 100) : scene.tokens.WETH.address),
    );
  }
  // Its constructor emits a Transfer and leaves no code.
  const topics = [
    `7f${"0".repeat(63)}2`,
    `7f${"0".repeat(63)}1`,
    "7fddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef",
  ];
  const forgedLog: Hex = `0x6001600052${topics.join("")}60206000a300`;
  const { receipts } = await chain.mine([{ from: chain.builder, data: forgedLog, gas: 1_000_000 }]);
  assert.equal(receipts[0]!.logs.length, 1);
  await indexed.observe();

  const now = await Promise.all(["/tokens", "/pairs", "/pools?page_size=100"].map(list));

  assert.deepEqual(now, before);
  assert.equal((await indexed.get(`/api/v1/pools/${made[0]}`)).status, 404);
});

test("a token without transfers has the names that it says, as soon as a pool has it", async () => {
  const address = await deployToken(chain, "QUIET", 7);
  const pair = await createPair(scene.v2.factory, address, scene.tokens.WETH.address);
  await indexed.observe();

  const [found] = (await tokens()).filter(({ token_address }) => token_address.toLowerCase() === address);
  const pool = await indexed.get<{ data: Entry }>(`/api/v1/pools/${pair}`);

  assert.deepEqual([found?.symbol, found?.name, found?.decimals], ["QUIET", "QUIET token", 7]);
  assert.match(pool.body.data.name, /QUIET/);
});

test("all ERC-20 tokens are listed, newest first, with ids that stay, and no shares of pools", async () => {
  const before = await tokens();
  const address = await deployToken(chain, "ALONE", 18);
  await chain.send(chain.builder, address, "mint(address,uint256)", chain.builder.address, 5n);
  await indexed.observe();

  const [first, ...rest] = await tokens();

  assert.deepEqual([first?.token_address.toLowerCase(), first?.symbol], [address, "ALONE"]);
  assert.notEqual(first?.first_seen_at, "0001-01-01T00:00:00Z");
  assert.deepEqual(
    rest.map(({ id, token_address }) => [id, token_address]),
    before.map(({ id, token_address }) => [id, token_address]),
  );
  const ids = [first!, ...rest].map(({ id }) => id);
  assert.deepEqual(
    ids,
    ids.toSorted((one, other) => other - one),
  );
  const listed = new Set(addressesOf([first!, ...rest]));
  for (const token of Object.values(scene.tokens)) assert.ok(listed.has(token.address), token.symbol);
  for (const { address: pool } of scene.pools) assert.ok(!listed.has(pool), "a share of a pool");
});

test("pages are the list in parts, and a catalogue that followed the chain says what a new one says", async () => {
  const all = await tokens();
  const pages = await Promise.all([1, 2, 3, 4].map((page) => tokens(`?page_num=${page}&page_size=4`)));
  assert.deepEqual(pages.flat(), all.slice(0, 16));
  const app = createApp({
    store: indexed.store,
    exchange: exchangeSettings(scene),
    settings: { ...SETTINGS, chainId: 677 },
  });
  const fresh = (await app.inject({ url: "/api/v1/tokens" })).json<Listed>();
  await app.close();
  assert.deepEqual(fresh.data, all);
});

test("`exchanges=known` leaves out what only factories of unknown code have, and pages for people begin with it", async () => {
  const code = exchangeCode().UniswapV2Factory;
  // A byte of the metadata, which is never executed: the same contract with an unknown code hash.
  const other: Hex = `${code.slice(0, -12) as Hex}${code.at(-12) === "0" ? "1" : "0"}${code.slice(-11)}`;
  const factory = await chain.deploy(other, ["address"], chain.builder.address);
  const address = await deployToken(chain, "OWN", 18);
  await chain.send(chain.builder, address, "mint(address,uint256)", chain.builder.address, 5n);
  const pair = await createPair(factory, address, scene.tokens.WETH.address);
  await indexed.observe();
  const has = (entries: readonly Entry[]) =>
    entries.some((entry) => (entry.pair ?? entry.poolId).toLowerCase() === pair);

  const pools = (await list("/pools?page_size=100")).data;
  assert.ok(has(pools));
  assert.equal(pools.find(({ poolId }) => poolId.toLowerCase() === pair)?.dex, `unknown-${factory.slice(2, 10)}`);
  assert.ok(has((await list("/pairs")).data) && addressesOf(await tokens()).includes(address));
  const known = await list("/pools?page_size=100&exchanges=known");
  assert.equal(known.meta.total, pools.length - 1);
  assert.ok(!has(known.data) && !has((await list("/pairs?exchanges=known")).data));
  assert.ok(!addressesOf(await tokens("?exchanges=known")).includes(address));
  assert.ok(addressesOf(await tokens("?exchanges=known")).includes(scene.tokens.ALT.address));
  assert.equal((await indexed.get("/api/v1/pools?exchanges=mine")).status, 400);

  const page = async (url: string) =>
    (await indexed.app.inject({ url, headers: { accept: "text/html" } })).body.toLowerCase();
  assert.ok(!(await page("/pools")).includes(`/pools/${pair}`));
  assert.ok((await page("/pools?exchanges=all")).includes(`/pools/${pair}`));
});

test("without prices the pages of pools have no columns or figures of dollars", async () => {
  const DOLLARS = ["Value locked", "Volume 24 h", "Fees 24 h"];
  const settings = { ...exchangeSettings(scene), stables: [] };
  const web = { coin: "ETH", isTestnet: true, others: [] };
  const app = createApp({ store: indexed.store, exchange: settings, settings: { ...SETTINGS, web } });
  const [{ poolId }] = (await list("/pools")).data as unknown as [{ poolId: string }];
  const page = async (by: typeof app, url: string) => (await by.inject({ url, headers: { accept: "text/html" } })).body;

  for (const url of ["/pools", `/pools/${poolId}`]) {
    const titles = (text: string) =>
      DOLLARS.filter((title) => new RegExp(`<(th|dt)[^>]*>(<a[^>]*>)?${title}`).test(text));
    const [plain, priced] = await Promise.all([page(app, url), page(indexed.app, url)]);
    assert.deepEqual([titles(plain), titles(priced)], [[], DOLLARS], url);
    assert.match(plain, /Change of volume/);
  }
  await app.close();
});

test("`sort_by` says what pools are sorted by: without an anchor nothing has a value", async () => {
  const settings = { ...exchangeSettings(scene), stables: [], wrappedCoin: undefined };
  const app = createApp({ store: indexed.store, exchange: settings, settings: { ...SETTINGS, chainId: 677 } });
  const { meta, data } = (await app.inject({ url: "/api/v1/pools?page_size=100" })).json<Listed>();
  await app.close();

  assert.equal(meta.sort_by, "transactions");
  const counts = data.map((entry) => Number((entry as unknown as { transactionsH24: string }).transactionsH24));
  assert.deepEqual(
    counts,
    counts.toSorted((one, other) => other - one),
  );
  assert.equal((await list("/pools")).meta.sort_by, "tvl");
});
