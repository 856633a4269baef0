import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createApp } from "../../src/api/app.ts";
import type { Block } from "../../src/chain/block/block.ts";
import { STEADY_BLOCKS } from "../../src/query/exchange/poolWindow.ts";
import { SETTINGS } from "../support/api.ts";
import { ExchangeChain } from "../support/exchange/chain.ts";
import { exchangeSettings, IndexedExchange } from "../support/exchange/indexed.ts";
import type { ExchangeScene, TokenName } from "../support/exchange/scene.ts";
import { buildScene, NEVER } from "../support/exchange/scene.ts";

type Entry = Readonly<Record<string, string>>;

interface Listed {
  readonly data: readonly Entry[];
  readonly meta: Readonly<Record<string, unknown>>;
}

const DAY = 86_400;
const PATHS = ["/pairs", "/pools", "/tokens"] as const;

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

/** The entry of the pair of two tokens. */
async function pairOf(one: TokenName, other: TokenName): Promise<Entry> {
  const { data } = await list("/pools?page_size=100&pool_type=v2");
  const found = data.find(({ name }) => name === `${one}/${other}` || name === `${other}/${one}`);
  assert.ok(found, `${one}/${other}`);
  return found;
}

function swap(from: TokenName, to: TokenName, dollars: bigint): Promise<Block> {
  const path = [scene.tokens[from].address, scene.tokens[to].address];
  const amounts = [scene.tokens[from].unit * dollars, 0n];
  const signature = "swapExactTokensForTokens(uint256,uint256,address[],address,uint256)";
  return chain.send(chain.builder, scene.v2.router, signature, ...amounts, path, chain.builder.address, NEVER);
}

function addLiquidity(one: TokenName, other: TokenName, dollars: bigint): Promise<Block> {
  const [a, b] = [scene.tokens[one], scene.tokens[other]];
  const amounts = [a.unit * dollars, b.unit * dollars, 0n, 0n];
  const signature = "addLiquidity(address,address,uint256,uint256,uint256,uint256,address,uint256)";
  const { builder } = chain;
  return chain.send(builder, scene.v2.router, signature, a.address, b.address, ...amounts, builder.address, NEVER);
}

const timeOf = ({ header }: Block) => `${new Date(header.timestamp * 1000).toISOString().slice(0, 19)}Z`;

test("2.6, 2.7: changes are against the day before, and `last_updated` is the block that changed a token's pools", async () => {
  const first = await swap("USDA", "ALT", 1000n);
  await indexed.index();
  const { quoteTokenVolume24: yesterday } = await pairOf("ALT", "USDA");
  await chain.mine([], DAY);
  const swapped = await swap("USDA", "ALT", 2500n);
  const added = await addLiquidity("NONE", "USDB", 50_000n);
  await indexed.index();

  const traded = await pairOf("ALT", "USDA");
  const grown = await pairOf("NONE", "USDB");
  const untouched = await pairOf("USDA", "USDB");
  const { data: tokens } = await list("/tokens");

  assert.deepEqual([yesterday, traded.quoteTokenVolume24, traded.volumeChangePercent], ["1000", "2500", "150"]);
  assert.equal(grown.tvlChangePercent, "50");
  assert.deepEqual([untouched.volumeChangePercent, untouched.tvlChangePercent], ["0", "0"]);
  const updated = Object.fromEntries(tokens.map(({ symbol, last_updated }) => [symbol!, last_updated!]));
  assert.deepEqual([updated.ALT, updated.NONE], [timeOf(swapped), timeOf(added)]);
  assert.ok(updated.DTT! < timeOf(first), "nobody traded it");
});

test("4.4 `pool_type` of `/pools`: all by default, or v2 or v3", async () => {
  for (const [query, versions] of [
    ["", [2, 3]],
    ["&pool_type=all", [2, 3]],
    ["&pool_type=v2", [2]],
    ["&pool_type=v3", [3]],
  ] as const) {
    const { data, meta } = await list(`/pools?page_size=100${query}`);
    const expected = scene.pools.filter(({ version }) => (versions as readonly number[]).includes(version));
    assert.deepEqual(
      data.map(({ poolId }) => poolId!.toLowerCase()).sort(),
      expected.map(({ address }) => address).sort(),
    );
    assert.deepEqual([meta.total, meta.pool_type], [expected.length, query.split("=")[1] ?? "all"]);
  }
});

test("4.4, 5 rule 2: every path is read with GET, is JSON, and needs no key", async () => {
  for (const path of PATHS) {
    const url = `/api/v1${path}`;
    const plain = await indexed.app.inject({ url });
    const withKey = await indexed.app.inject({ url: `${url}?apikey=any`, headers: { "x-api-key": "any" } });
    const posted = await indexed.app.inject({ url, method: "POST", payload: {} });

    assert.match(String(plain.headers["content-type"]), /^application\/json/);
    assert.deepEqual([plain.statusCode, withKey.body, posted.statusCode], [200, plain.body, 405], path);
    assert.equal(posted.json<{ success: boolean }>().success, false);
  }
});

test("9 rule 2: the version is in the path", async () => {
  for (const path of PATHS) {
    await list(path);
    for (const other of ["/api", "/api/v3", "/v1"]) {
      assert.equal((await indexed.app.inject({ url: other + path })).statusCode, 404, other + path);
    }
  }
  for (const path of ["/pairs", "/pools"]) assert.equal((await indexed.get(`/api/v2${path}`)).status, 404);
});

test("1: pools, pairs and tokens are answered from the index alone, and on chain 968 they say so", async () => {
  const open = (chainId: number) =>
    createApp({ store: indexed.store, exchange: exchangeSettings(scene), settings: { ...SETTINGS, chainId } });
  const [mainnet, testnet] = [open(677), open(968)];

  for (const path of PATHS) {
    const [here, there] = [await mainnet.inject(`/api/v1${path}`), await testnet.inject(`/api/v1${path}`)];

    assert.deepEqual(here.json(), await list(path), path);
    const ids = there.json<Listed>().data.map(({ chain_id }) => chain_id);
    assert.deepEqual(new Set(ids), new Set([path === "/pools" ? undefined : 968]), path);
  }
  await Promise.all([mainnet.close(), testnet.close()]);
});
