import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createApp } from "../src/api/app.ts";
import { encodeValues } from "../src/chain/abi/encodeCall.ts";
import type { Block } from "../src/chain/block/block.ts";
import type { Hex } from "../src/chain/encoding/hex.ts";
import { sqrtPrice } from "../src/demo/scene/ticks.ts";
import { STEADY_BLOCKS } from "../src/query/exchange/poolWindow.ts";
import { SETTINGS } from "./support/api.ts";
import { ExchangeChain } from "./support/exchange/chain.ts";
import { exchangeCode } from "./support/exchange/contracts.ts";
import { exchangeSettings, IndexedExchange } from "./support/exchange/indexed.ts";
import type { ExchangeScene, SceneToken } from "./support/exchange/scene.ts";
import {
  buildScene,
  createdIn,
  deployToken,
  NEVER,
  ordered,
  PAIR_CREATED,
  POOL_CREATED,
  ZERO_ADDRESS,
} from "./support/exchange/scene.ts";
import { POOL_TOPICS } from "./support/simulatedPools.ts";

type Entry = Readonly<Record<string, string>>;

let chain: ExchangeChain;
let scene: ExchangeScene;
let indexed: IndexedExchange;
let honest: Figures;

interface Figures {
  readonly prices: Readonly<Record<string, string>>;
  readonly pools: Readonly<Record<string, string>>;
}

before(async () => {
  chain = await ExchangeChain.open();
  scene = await buildScene(chain);
  await chain.idle(STEADY_BLOCKS);
  indexed = await IndexedExchange.open(chain, exchangeSettings(scene));
  honest = await readFigures();
});

after(async () => {
  await indexed.close();
  await chain.close();
});

async function data<T = Entry>(url: string): Promise<T> {
  const { status, body } = await indexed.get<{ data: T }>(`/api/v1${url}`);
  assert.equal(status, 200, url);
  return body.data;
}

async function readFigures(): Promise<Figures> {
  await indexed.observe();
  const prices: Record<string, string> = {};
  const pools: Record<string, string> = {};
  for (const { symbol, address } of Object.values(scene.tokens)) {
    prices[symbol] = (await data(`/tokens/${address}/price`)).priceUsd!;
  }
  for (const { address } of scene.pools) {
    const { tvlUsd, volumeUsd24, token0Amount, fdvUsd } = await data(`/pools/${address}`);
    pools[address] = [tvlUsd, volumeUsd24, token0Amount, fdvUsd].join(" ");
  }
  return { prices, pools };
}

async function expectUnmoved(what: string): Promise<void> {
  assert.deepEqual(await readFigures(), honest, what);
  await chain.idle(STEADY_BLOCKS);
  assert.deepEqual(await readFigures(), honest, `${what}, ${STEADY_BLOCKS} blocks later`);
}

const HUGE = 10n ** 30n;

async function fake(symbol: string, decimals = 18): Promise<SceneToken> {
  const address = await deployToken(chain, symbol, decimals);
  await chain.send(chain.builder, address, "mint(address,uint256)", chain.builder.address, HUGE * 10n);
  return { symbol, address, decimals, unit: 1n };
}

async function pair(a: SceneToken, b: SceneToken, amountA: bigint, amountB: bigint): Promise<Hex> {
  return createdIn(await addLiquidity(a, b, amountA, amountB), PAIR_CREATED);
}

function addLiquidity(a: SceneToken, b: SceneToken, amountA: bigint, amountB: bigint): Promise<Block> {
  const signature = "addLiquidity(address,address,uint256,uint256,uint256,uint256,address,uint256)";
  const { builder } = chain;
  const amounts = [amountA, amountB, 0n, 0n];
  return chain.send(builder, scene.v2.router, signature, a.address, b.address, ...amounts, builder.address, NEVER);
}

const MINT = "mint((address,address,uint24,int24,int24,uint256,uint256,uint256,uint256,address,uint256))";

test("fakes paired with each other are worth nothing, however many there are", async () => {
  const [one, other] = [await fake("FAKE"), await fake("FAKER")];
  const address = await pair(one, other, HUGE, HUGE);
  await indexed.observe();

  const pool = await data(`/pools/${address}`);

  assert.deepEqual([pool.tvlUsd, pool.volumeUsd24, pool.fdvUsd, pool.feeApr], ["0", "0", "0", "0"]);
  assert.equal((await data(`/tokens/${one.address}/price`)).priceUsd, "0");
  const url = `/users/${chain.builder.address}/profits?page_size=50`;
  const profits = (await data(url)) as unknown as readonly Record<string, unknown>[];
  const own = profits.find(({ id }) => String(id).toLowerCase() === address);
  assert.deepEqual([own?.cost, own?.worthUsd, own?.heldUsd, own?.profitUsd], ["known", null, null, null]);
  await expectUnmoved("fakes");
});

test("one-sided liquidity of a fake with dust of the coin sets no price, and counts as the dust twice at most", async () => {
  const { WETH } = scene.tokens;
  const token = await fake("SIDE");
  const { token0, token1 } = ordered(token, WETH);
  // One smallest unit of the fake for one of the coin: all of the fake would be worth more than there is.
  const create = "createAndInitializePoolIfNecessary(address,address,uint24,uint160)";
  const from = chain.builder;
  const sqrt = sqrtPrice(1n, 1n);
  const block = await chain.send(from, scene.v3.positions, create, token0.address, token1.address, 3000, sqrt);
  const address = createdIn(block, POOL_CREATED);
  const isFirst = token0 === token;
  const amounts = isFirst ? [HUGE, 0n] : [0n, HUGE];
  const [lower, upper] = isFirst ? [60, 6000] : [-6000, -60];
  const tokens = [token0.address, token1.address, 3000];
  await chain.send(from, scene.v3.positions, MINT, [...tokens, lower, upper, ...amounts, 0n, 0n, from.address, NEVER]);
  await chain.send(from, scene.v3.positions, MINT, [
    ...tokens,
    -600,
    600,
    10n ** 12n,
    10n ** 12n,
    0n,
    0n,
    from.address,
    NEVER,
  ]);
  await chain.idle(STEADY_BLOCKS);
  await indexed.observe();

  const pool = await data(`/pools/${address}`);

  assert.equal((await data(`/tokens/${token.address}/price`)).priceUsd, "0");
  assert.ok(Number(pool.tvlUsd) <= 0.01, String(pool.tvlUsd));
  await expectUnmoved("one-sided liquidity");
});

test("a shallow pool sets no price, nor does one shallower than the others", async () => {
  const { ALT, USDB } = scene.tokens;
  await pair(ALT, USDB, ALT.unit / 100n, USDB.unit * 900n);
  await expectUnmoved("a pool below the minimum");
  const token = await fake("STEP");
  // Five thousand dollars give a fake a price; what it is then paired with keeps its own.
  await pair(token, USDB, 10n ** 18n, USDB.unit * 5000n);
  await pair(token, ALT, HUGE / 2n, ALT.unit);
  await chain.idle(STEADY_BLOCKS);
  await indexed.observe();
  assert.equal((await data(`/tokens/${token.address}/price`)).priceUsd, "5000");
  await expectUnmoved("a fake with a price");
});

test("a copy of a symbol is another token, and no anchor", async () => {
  const copy = await fake("USDA", 6);
  const address = await pair(copy, scene.tokens.WETH, HUGE, 10n ** 15n);
  await chain.idle(STEADY_BLOCKS);
  await indexed.observe();

  const named = (await data<readonly Entry[]>("/tokens")).filter(({ symbol }) => symbol === "USDA");

  assert.equal(named.length, 2);
  assert.equal((await data(`/tokens/${copy.address}/price`)).priceUsd, "0", "the pool is thin");
  assert.ok(Number((await data(`/pools/${address}`)).tvlUsd) < 10);
  await expectUnmoved("a copy");
});

test("events that are not of a factory, or not of a pool, count nothing", async () => {
  const before = await data<readonly Entry[]>("/pairs");
  const forger = await chain.deploy(exchangeCode().Forger);
  const { WETH, USDA } = scene.tokens;
  const victim = scene.pools[0]!;
  const word = (address: Hex): Hex => `0x${address.slice(2).padStart(64, "0")}`;
  const emit = (topics: readonly Hex[], values: Hex) =>
    chain.send(chain.builder, forger, "emit0(bytes32[],bytes)", [...topics], values);
  const { token0, token1 } = ordered(WETH, USDA);
  const tokens = [word(token0.address), word(token1.address)];
  for (const pool of [forger, victim.address, scene.trader]) {
    await emit([POOL_TOPICS.pairCreated, ...tokens], encodeValues(["address", "uint256"], pool, 1n));
    const fee: Hex = `0x${(500).toString(16).padStart(64, "0")}`;
    await emit([POOL_TOPICS.poolCreated, ...tokens, fee], encodeValues(["int24", "address"], 10, pool));
  }
  await emit([POOL_TOPICS.sync], encodeValues(["uint112", "uint112"], 2n ** 100n, 2n ** 50n));
  const amounts = encodeValues(["uint256", "uint256", "uint256", "uint256"], HUGE, 0n, 0n, HUGE);
  await emit([POOL_TOPICS.swapV2, word(ZERO_ADDRESS), word(ZERO_ADDRESS)], amounts);
  await indexed.observe();

  assert.deepEqual(await data<readonly Entry[]>("/pairs"), before);
  await expectUnmoved("forged events");
});

test("a budget shows at most twice itself in all pools together, and once in the chain's total", async () => {
  const { WETH } = scene.tokens;
  const budget = 200_000n;
  const before = await totalLocked();
  const source = await fake("ROOT");
  const pools = [await pair(source, WETH, 10n ** 24n, WETH.unit * budget)];
  await chain.idle(STEADY_BLOCKS);
  let last = source;
  for (let count = 0; count < 4; count++) {
    const [neighbour, beyond] = [await fake(`LEAF${count}`), await fake(`FAR${count}`)];
    pools.push(await pair(source, neighbour, 10n ** 24n, HUGE), await pair(neighbour, beyond, HUGE, HUGE));
    if (last !== source) pools.push(await pair(last, neighbour, HUGE, HUGE));
    last = neighbour;
  }
  await chain.idle(STEADY_BLOCKS);
  await indexed.observe();

  const shown = await Promise.all(pools.map(async (address) => Number((await data(`/pools/${address}`)).tvlUsd)));

  const sum = shown.reduce((one, other) => one + other, 0);
  assert.ok(shown[0]! > 1.9 * Number(budget), "what is there counts");
  assert.ok(sum <= 2 * Number(budget), `${sum} dollars of ${budget}`);
  assert.ok((await totalLocked()) - before <= Number(budget) + 1e-6);
  await expectUnmoved("a tree of fakes");
});

async function totalLocked(): Promise<number> {
  await indexed.observe();
  const { body } = await indexed.get<{ tvl: string }>("/api/v2/stats");
  return Number(body.tvl);
}

test("money that a pool had after the first and the last block of the window alone makes no depth", async () => {
  const { WETH } = scene.tokens;
  const { address: to } = chain.builder;
  const token = await fake("FLASH");
  const address = await pair(token, WETH, 10n ** 24n, WETH.unit * 100_000n);
  const [shares = 0n] = await chain.call(address, chain.height, "balanceOf(address)", to);
  await chain.send(chain.builder, address, "approve(address,uint256)", scene.v2.router, shares);
  const remove = "removeLiquidity(address,address,uint256,uint256,uint256,address,uint256)";
  const parts = [token.address, WETH.address, shares - 10n ** 12n, 0n, 0n, to, NEVER];
  await chain.send(chain.builder, scene.v2.router, remove, ...parts);
  await chain.idle(STEADY_BLOCKS - 3);
  await addLiquidity(token, WETH, 10n ** 24n, WETH.unit * 100_000n);
  await indexed.observe();

  assert.ok(Number((await data(`/pools/${address}`)).tvlUsd) > 190_000, "it is there now");
  assert.equal((await data(`/tokens/${token.address}/price`)).priceUsd, "0");
  await chain.idle(STEADY_BLOCKS);
  await indexed.observe();
  assert.notEqual((await data(`/tokens/${token.address}/price`)).priceUsd, "0", "and now it has lasted");
});

test("a spike moves neither the price of the coin beyond its other pools nor what they hold", async () => {
  const { USDA, WETH } = scene.tokens;
  const from = chain.builder;
  const swap = "swapExactTokensForTokens(uint256,uint256,address[],address,uint256)";
  const path = [USDA.address, WETH.address];
  await chain.send(from, scene.v2.router, swap, USDA.unit * 350_000n, 0n, path, from.address, NEVER);
  await indexed.observe();

  const pumped = await data(`/pools/${scene.pools[0]!.address}`);
  const { prices, pools } = await readFigures();

  assert.ok(Number(pumped.price) > 10 * Number(honest.prices.WETH), String(pumped.price));
  assert.deepEqual(prices, honest.prices);
  for (const { address } of scene.pools.slice(1)) assert.equal(pools[address], honest.pools[address]);
});

test("a spike of one block a day ago changes neither yesterday's prices nor what pools held", async () => {
  await chain.mine([], 86_400);
  await indexed.observe();
  const v2 = { ...exchangeSettings(scene), factories: [{ name: "Uniswap V2", address: scene.v2.factory }] };
  const app = createApp({ store: indexed.store, exchange: v2, settings: { ...SETTINGS, chainId: 677 } });
  const get = async <T>(url: string) => (await app.inject({ url })).json<T>();

  const stats = await get<Entry>("/api/v2/stats");
  const pumped = await get<{ data: Entry }>(`/api/v1/pools/${scene.pools[0]!.address}`);
  const neighbour = await get<{ data: Entry }>(`/api/v1/pools/${scene.pools[1]!.address}`);
  await app.close();

  // The only pool that prices the coin is the one that was pumped.
  assert.equal(stats.coin_price, honest.prices.WETH);
  assert.equal(Number(stats.coin_price_change_percentage), 0);
  assert.ok(Number(pumped.data.price) > 10 * Number(honest.prices.WETH));
  assert.equal(neighbour.data.tvlChangePercent, "0");
});
