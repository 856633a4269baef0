import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { encodeCall, encodeValues } from "../src/chain/abi/encodeCall.ts";
import type { Hex } from "../src/chain/encoding/hex.ts";
import { fromHex, toHex } from "../src/chain/encoding/hex.ts";
import { sqrtPrice } from "../src/demo/scene/ticks.ts";
import { STEADY_BLOCKS } from "../src/query/exchange/poolWindow.ts";
import type { AlgebraPool } from "./support/exchange/algebra.ts";
import { Algebra } from "./support/exchange/algebra.ts";
import { ExchangeChain } from "./support/exchange/chain.ts";
import { exchangeCode } from "./support/exchange/contracts.ts";
import { IndexedExchange } from "./support/exchange/indexed.ts";
import { wholeTokens } from "./support/exchange/plain.ts";
import { expectAdapterEvents } from "./support/exchange/plainAdapter.ts";
import { deployToken, expectDone, MAX_UINT256 } from "./support/exchange/scene.ts";
import { fingerprint } from "./support/fingerprint/fingerprint.ts";
import { Random } from "./support/random.ts";
import { firstSeed } from "./support/seed.ts";
import { POOL_TOPICS } from "./support/simulatedPools.ts";

type Entry = Readonly<Record<string, string>>;

const SEED = firstSeed();
const ROUNDS = Number(process.env.ORIEL_CASES ?? 10);
const ETHER = 10n ** 18n;
const DOLLAR = 10n ** 6n;
const SPACING = 60;

let chain: ExchangeChain;
let algebra: Algebra;
let indexed: IndexedExchange;
const random = new Random(SEED);
const tokens = {} as Record<"USD" | "WETH" | "ALT", Hex>;
const pools = {} as Record<"plain" | "plugged" | "custom", AlgebraPool>;

const settings = () => ({
  ...{ factories: [{ name: "Camelot", address: algebra.at.factory }] },
  ...{ stables: [tokens.USD], wrappedCoin: tokens.WETH, priceDepth: 1000 },
});

before(async () => {
  chain = await ExchangeChain.open();
  tokens.USD = await deployToken(chain, "USD", 6);
  tokens.ALT = await deployToken(chain, "ALT", 18);
  tokens.WETH = await chain.deploy(exchangeCode().WETH9);
  algebra = await Algebra.deploy(chain, tokens.WETH);
  await handOut();
  const { factory, plugin } = algebra.at;
  await chain.send(chain.builder, factory, "setDefaultCommunityFee(uint16)", 150n);
  pools.plain = await algebra.open(tokens.WETH, tokens.USD, priceOf(tokens.WETH, 2000n * DOLLAR));
  await chain.send(chain.builder, factory, "setDefaultPluginFactory(address)", plugin);
  pools.plugged = await algebra.open(tokens.ALT, tokens.WETH, sqrtPrice(1n, 1n));
  pools.custom = await algebra.openCustom(tokens.ALT, tokens.USD, priceOf(tokens.ALT, 9n * DOLLAR));
  for (const pool of Object.values(pools)) {
    const depth = pool === pools.plugged ? 1000n * ETHER : 10n ** 16n;
    expectDone(await chain.mine([algebra.change(pool, chain.builder, [-887_220, 887_220], depth)]));
  }
  await chain.idle(STEADY_BLOCKS);
  indexed = await IndexedExchange.open(chain, settings());
  await indexed.observe();
});

after(async () => {
  await indexed?.close();
  await chain?.close();
});

async function handOut(): Promise<void> {
  const intents = chain.actors.flatMap((actor) => [
    chain.intent(actor, tokens.USD, "mint(address,uint256)", actor.address, 10n ** 12n * DOLLAR),
    chain.intent(actor, tokens.ALT, "mint(address,uint256)", actor.address, 10n ** 9n * ETHER),
    { ...chain.intent(actor, tokens.WETH, "deposit()"), value: 3000n * ETHER },
    ...[algebra.at.caller, algebra.at.positions].map((spender) =>
      chain.intent(actor, tokens.WETH, "approve(address,uint256)", spender, MAX_UINT256),
    ),
  ]);
  expectDone(await chain.mine(intents));
}

/** The square root of the price of a whole token of 18 decimals in dollars. */
function priceOf(token: Hex, dollars: bigint): bigint {
  return token < tokens.USD ? sqrtPrice(dollars, ETHER) : sqrtPrice(ETHER, dollars);
}

const decimalsOf = (address: Hex) => (address === tokens.USD ? 6 : 18);

async function data<T = Entry>(url: string): Promise<T> {
  const { status, body } = await indexed.get<{ data: T }>(`/api/v1${url}`);
  assert.equal(status, 200, `${url}: ${JSON.stringify(body)}`);
  return body.data;
}

interface Held {
  readonly pool: AlgebraPool;
  readonly range: readonly [number, number];
  liquidity: bigint;
}

/** Swaps, fees that change between them, and liquidity that comes and goes between ticks around the price. */
async function act(held: Held[]): Promise<void> {
  const intents = [];
  const { plugin } = algebra.at;
  for (let count = random.between(1, 5); count > 0; count--) {
    const pool = random.pick(Object.values(pools));
    const from = random.pick(chain.actors);
    const known = held.filter((one) => one.liquidity > 0n);
    const roll = random.int(10);
    if (roll === 0) {
      const fee = BigInt(random.between(1, 20_000));
      if (pool === pools.plain) intents.push(chain.intent(chain.builder, pool.address, "setFee(uint16)", fee));
      else intents.push(chain.intent(chain.builder, plugin, "setFee(address,uint16)", pool.address, fee));
    } else if (roll === 1) {
      const fees = random.pick([
        [0n, 0n],
        [7000n, 0n],
        [0n, 300n],
        [100n, 2000n],
      ] as const);
      intents.push(chain.intent(chain.builder, plugin, "set(uint24,uint24)", ...fees));
      intents.push(chain.intent(chain.builder, plugin, "setBurnFee(uint24)", random.pick([0n, 30_000n])));
    } else if (roll === 2) {
      const share = BigInt(random.between(0, 999));
      intents.push(chain.intent(chain.builder, pool.address, "setCommunityFee(uint16)", share));
    } else if (roll < 5) {
      const { tick } = await algebra.state(pool);
      const middle = Math.round(tick / SPACING);
      const ends = [random.between(-30, 20), random.between(-20, 30)].map((by) => (middle + by) * SPACING);
      const range = [Math.min(...ends), Math.max(...ends) + SPACING] as const;
      const one = { pool, range, liquidity: BigInt(random.between(1, 1e15)) };
      held.push(one);
      intents.push(algebra.change(pool, chain.builder, range, one.liquidity));
    } else if (roll === 5 && known.length > 0) {
      const one = random.pick(known);
      const part = random.chance(0.5) ? one.liquidity : one.liquidity / 3n;
      one.liquidity -= part;
      intents.push(algebra.change(one.pool, chain.builder, one.range, -part));
    } else {
      const isToken0 = random.chance(0.5);
      const unit = decimalsOf(pool.tokens[isToken0 ? 0 : 1]) === 6 ? DOLLAR : ETHER / 2000n;
      intents.push(algebra.swap(pool, from, isToken0, (unit * BigInt(random.between(1, 1e6))) / 100n));
    }
  }
  await chain.mine(intents, random.pick([1, 12, 600, 9000]));
}

const words = (log: Uint8Array) => (toHex(log).slice(2).match(/.{64}/g) ?? []).map((word) => BigInt(`0x${word}`));

interface Sums {
  readonly volumes: [bigint, bigint];
  readonly charged: [bigint, bigint];
  /** Of inputs: fees, and what community and plugin took of them. */
  readonly paid: [bigint, bigint];
  readonly taken: [bigint, bigint];
  fee: bigint;
  swaps: number;
}

/** All trades of a pool by the receipts, and the fees that were in force. */
function sumUp({ address }: AlgebraPool): Sums {
  const sums: Sums = {
    ...{ volumes: [0n, 0n], charged: [0n, 0n], fee: 0n, swaps: 0 },
    ...{ paid: [0n, 0n], taken: [0n, 0n] },
  };
  let [own, instead, added, community] = [0n, 0n, 0n, 0n];
  for (let number = 0; number <= chain.height; number++) {
    for (const log of chain.node.context.chain.expectBlock(number).receipts.flatMap(({ logs }) => logs)) {
      if (toHex(log.address) !== address) continue;
      const [topic, values] = [toHex(log.topics.subarray(0, 32)), words(log.data)];
      if (topic === POOL_TOPICS.fee) sums.fee = own = values[0]!;
      if (topic === POOL_TOPICS.swapFee) [instead, added] = [values[0]!, values[1]!];
      if (topic === POOL_TOPICS.communityFee) community = values[0]!;
      if (topic !== POOL_TOPICS.swapV3) continue;
      sums.fee = (instead === 0n ? own : instead) + added;
      for (const at of [0, 1] as const) {
        const amount = BigInt.asIntN(256, values[at]!);
        sums.volumes[at] += amount < 0n ? -amount : amount;
        sums.charged[at] += (amount < 0n ? -amount : amount) * sums.fee;
        if (amount <= 0n) continue;
        sums.paid[at] += amount * sums.fee;
        sums.taken[at] += amount * added * 1000n + amount * (sums.fee - added) * community;
      }
      sums.swaps++;
    }
  }
  return sums;
}

/** Dollars of fees: the mean of two anchors, or the side of one. */
function paidIn({ tokens: sides }: AlgebraPool, { charged }: Sums, coinPrice: number): number {
  const values = sides.flatMap((token, at) => {
    const amount = Number(charged[at as 0 | 1]) / 1e6;
    if (token === tokens.ALT) return [];
    return [token === tokens.USD ? amount * 1e-6 : (amount * coinPrice) / 1e18];
  });
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** What of the fees is left to positions. */
async function keptOf({ tokens: sides }: AlgebraPool, { paid, taken }: Sums): Promise<number> {
  const prices = await Promise.all(sides.map(async (token) => Number((await data(`/tokens/${token}/price`)).priceUsd)));
  const value = (amounts: readonly [bigint, bigint]) =>
    amounts.reduce((sum, amount, at) => sum + (Number(amount) / 10 ** decimalsOf(sides[at]!)) * prices[at]!, 0);
  return value(paid) === 0 ? 1 : 1 - value(taken) / 1000 / value(paid);
}

async function stateOf(pool: AlgebraPool) {
  return indexed.store.read(async (session) => {
    const [found] = await session.exchange.creationsAt([fromHex(pool.address)]);
    return (await session.exchange.states([found!.pool])).get(found!.pool)!;
  });
}

async function expectPools(label: string): Promise<void> {
  const coinPrice = Number((await data(`/tokens/${tokens.WETH}/price`)).priceUsd);
  const first = chain.node.context.chain.expectBlock(0).header.timestamp;
  for (const [name, pool] of Object.entries(pools)) {
    const [entry, state, sums] = [await data(`/pools/${pool.address}`), await algebra.state(pool), sumUp(pool)];
    const where = `${label}, ${name}`;
    assert.deepEqual([entry.poolType, entry.dex, entry.feeTier], ["algebra", "Camelot", String(sums.fee)], where);
    const { sqrtPrice: price, tick, liquidity, feeProtocol0, algebra: own, ...stored } = await stateOf(pool);
    assert.deepEqual(
      {
        ...{ sqrtPrice: price, tick, liquidity, fee: own!.fee0 },
        ...{ pluginConfig: own!.pluginConfig, communityFee: feeProtocol0 },
      },
      state,
      where,
    );
    assert.deepEqual([stored.volume0, stored.volume1, stored.swaps], [...sums.volumes, sums.swaps], where);
    assert.deepEqual([own!.charged0, own!.charged1], sums.charged, where);
    for (const [side, token] of pool.tokens.entries()) {
      const [balance] = await chain.call(token, chain.height, "balanceOf(address)", pool.address);
      assert.equal(entry[`token${side}Amount`], wholeTokens(balance!, decimalsOf(token)), where);
    }
    const swaps = await indexed.get<{ meta: { total: number } }>(`/api/v1/pools/${pool.address}/swaps?page_size=7`);
    assert.equal(swaps.body.meta.total, sums.swaps, where);
    if (chain.head.header.timestamp - first > 80_000) continue;
    const [base, quote] =
      entry.baseTokenAddress!.toLowerCase() === pool.tokens[0] ? ([0, 1] as const) : ([1, 0] as const);
    const volumes = [base, quote].map((side) => wholeTokens(sums.volumes[side]!, decimalsOf(pool.tokens[side]!)));
    assert.deepEqual([entry.baseTokenVolume24, entry.quoteTokenVolume24], volumes, where);
    assertNear(Number(entry.fees24Usd), paidIn(pool, sums, coinPrice), where);
    const year = (Number(entry.fees24Usd) * 365) / Number(entry.tvlUsd);
    assertNear(Number(entry.feeApr), year * (await keptOf(pool, sums)), `${where}, of a year`);
  }
}

function assertNear(one: number, other: number, where: string): void {
  assert.ok(Math.abs(one - other) <= 1e-6 * Math.max(1, Math.abs(other)), `${where}: ${one} and ${other}`);
}

test(`pools of Algebra are what their contracts say, after reorgs too (seed ${SEED})`, async () => {
  const held: Held[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    await act(held);
    await indexed.observe();
    if (round % 4 === 1) {
      await chain.rewind(chain.height - 1);
      held.length = 0;
      await act([]);
      await indexed.observe();
    }
    if (round % 3 === 2) await expectPools(`seed ${SEED}, round ${round}`);
  }
  await expectPools(`seed ${SEED}, at the end`);

  const fresh = await IndexedExchange.open(chain, settings());
  await fresh.observe();
  assert.equal(await indexed.store.read(fingerprint), await fresh.store.read(fingerprint));
  await fresh.close();
});

test("programs that list exchanges get the trades and liquidity of pools of Algebra, without reserves", async () => {
  const listed = Object.values(pools).map(({ address, tokens: [token0, token1] }) => {
    const decimals = [decimalsOf(token0), decimalsOf(token1)] as const;
    return { id: address, emitter: address, kind: "algebra", decimals } as const;
  });

  const events = await expectAdapterEvents(indexed, chain, listed, `seed ${SEED}`);

  assert.ok(events.length > 10, String(events.length));
  assert.equal((await indexed.get(`/geckoterminal/pair?id=${pools.plain.address}`)).status, 404);
});

test("what events say a pool holds is what it has without the shares of others", async () => {
  for (const pool of Object.values(pools)) {
    const pending = await Promise.all(
      ["getCommunityFeePending()", "getPluginFeePending()"].map((name) => chain.call(pool.address, chain.height, name)),
    );
    const state = await stateOf(pool);
    for (const side of [0, 1] as const) {
      const [balance] = await chain.call(pool.tokens[side], chain.height, "balanceOf(address)", pool.address);
      const owed = pending.reduce((sum, of) => sum + of[side]!, 0n);
      const difference = balance! - owed - [state.amount0, state.amount1][side]!;
      assert.ok(difference > -1000n && difference < 1000n, `${pool.address}: ${difference}`);
    }
  }
});

interface Quoted {
  readonly amountOutUnits: string;
  readonly routes: readonly { readonly hops: readonly (Entry & { isEstimate: boolean })[] }[];
}

test("quotes are what the contracts pay, and custom pools are left out", async () => {
  const { USD, ALT, WETH } = tokens;
  await chain.send(chain.builder, algebra.at.plugin, "set(uint24,uint24)", 4000n, 250n);
  await chain.mine([algebra.swap(pools.plugged, chain.actors[1]!, true, ETHER)]);
  await indexed.observe();
  let exact = 0;
  for (let count = 0; count < 2 * ROUNDS; count++) {
    const [name, from, to] = random.pick([
      ["plain", WETH, USD],
      ["plain", USD, WETH],
      ["plugged", ALT, WETH],
      ["plugged", WETH, ALT],
    ] as const);
    const amount = BigInt(random.between(1, 1e6)) ** 2n * (from === USD ? 1n : 10n ** 8n);
    const quote = await data<Quoted>(`/quote?tokenIn=${from}&tokenOut=${to}&amount=${amount}`);
    const expected = (await algebra.output(pools[name], pools[name].tokens[0] === from, amount)) ?? 0n;
    assert.equal(BigInt(quote.amountOutUnits), expected, `${name}: ${amount} of ${from}`);
    const hops = quote.routes.flatMap((route) => route.hops);
    assert.ok(hops.every(({ isEstimate }) => isEstimate === (name === "plugged")));
    if (expected > 0n) exact++;
  }
  assert.ok(exact > ROUNDS / 2);
  const through = await data<Quoted>(`/quote?tokenIn=${ALT}&tokenOut=${USD}&amount=${ETHER}`);
  const passed = through.routes.flatMap(({ hops }) => hops.map(({ pool }) => pool!.toLowerCase()));
  assert.deepEqual(passed, [pools.plugged.address, pools.plain.address]);
});

const COLLECT = "collect((uint256,address,uint128,uint128))";
const MAX_UINT128 = 2n ** 128n - 1n;

test("positions belong to whoever has their token, with their fees", async () => {
  const [, , owner, heir] = chain.actors;
  const mint = algebra.mint(pools.plugged, owner!, [-6000, 6000], [10n ** 20n, 10n ** 20n]);
  expectDone(await chain.mine([mint, mint]));
  const move = "transferFrom(address,address,uint256)";
  await chain.send(owner!, algebra.at.positions, move, owner!.address, heir!.address, 2n);
  expectDone(await chain.mine([algebra.swap(pools.plugged, owner!, true, 10n ** 18n)]));
  await indexed.observe();

  for (const [user, tokenId] of [
    [owner!, 1n],
    [heir!, 2n],
  ] as const) {
    const [position] = await data<readonly (Entry & { tokenId: string })[]>(`/users/${user.address}/positions`);
    const record = await chain.call(algebra.at.positions, chain.height, "positions(uint256)", tokenId);
    assert.deepEqual(
      [position!.pool!.toLowerCase(), position!.poolType, position!.tokenId, position!.liquidity],
      [pools.plugged.address, "algebra", String(tokenId), String(record[7])],
    );
    const collect = {
      from: user.address,
      to: algebra.at.positions,
      data: encodeCall(COLLECT, [tokenId, user.address, MAX_UINT128, MAX_UINT128]),
    };
    const paid = words(fromHex(await chain.development.ask<Hex>("eth_call", collect, "latest")));
    assert.deepEqual(
      [position!.uncollected0, position!.uncollected1],
      paid.map((amount) => wholeTokens(amount, 18)),
    );
    assert.ok(paid.some((amount) => amount > 0n));
    const id = `${algebra.at.positions}:${tokenId}`;
    const [gave] = await data<readonly Entry[]>(`/users/${user.address}/profits`);
    const [deposit] = await data<readonly Entry[]>(`/users/${user.address}/liquidity?position=${id}`);
    assert.deepEqual([gave!.id!.toLowerCase(), gave!.cost], [id, tokenId === 1n ? "known" : "transferred"]);
    assert.deepEqual([gave!.fees0, gave!.fees1], [position!.uncollected0, position!.uncollected1]);
    assert.deepEqual(
      [deposit!.type, gave!.deposited0, gave!.deposited1, gave!.withdrawn0, gave!.withdrawn1],
      ["mint", deposit!.token0Amount, deposit!.token1Amount, "0", "0"],
    );
    assert.equal(gave!.profitUsd === null, tokenId === 2n);
  }
  await chain.send(owner!, algebra.at.positions, COLLECT, [1n, owner!.address, MAX_UINT128, MAX_UINT128]);
  await indexed.observe();
  const url = `/users/${owner!.address}/liquidity?position=${algebra.at.positions}:1`;
  const [collected] = await data<readonly Entry[]>(url);
  const [later] = await data<readonly Entry[]>(`/users/${owner!.address}/profits`);
  assert.equal(collected!.type, "collect");
  assert.deepEqual(
    [later!.fees0, later!.fees1, later!.withdrawn0, later!.withdrawn1],
    [0, 1].flatMap(() => [collected!.token0Amount, collected!.token1Amount]),
  );
});

test("pools of Algebra are listed where they are asked for, with their trades and their page", async () => {
  const list = async (type: string) =>
    (await data<readonly Entry[]>(`/pools?pool_type=${type}`)).map((one) => one.poolId!.toLowerCase());
  const all = new Set(Object.values(pools).map(({ address }) => address));

  assert.deepEqual(await list("all"), []);
  assert.deepEqual(new Set(await list("algebra")), all);
  assert.deepEqual(new Set(await list("any")), all);
  const { address } = pools.plugged;
  const events = await data<readonly Entry[]>(`/pools/${address}/events?page_size=100`);
  assert.ok(["swap", "mint"].every((wanted) => events.some(({ type }) => type === wanted)));
  for (const path of ["candles", "tvl"])
    assert.equal((await indexed.get(`/api/v1/pools/${address}/${path}`)).status, 200);
  for (const path of ["/pools?type=algebra", `/pools/${address}`, `/pools/${address}?tab=positions`]) {
    const { statusCode, payload } = await indexed.app.inject({ url: path, headers: { accept: "text/html" } });
    assert.deepEqual([statusCode, payload.includes("Camelot")], [200, true], path);
  }
});

const figures = async () => {
  await indexed.observe();
  const shown = await data<readonly Entry[]>("/pools?pool_type=any");
  const prices = await Promise.all(Object.values(tokens).map((token) => data(`/tokens/${token}/price`)));
  return { pools: new Map(shown.map((one) => [one.poolId!, one])), prices: prices.map(({ priceUsd }) => priceUsd) };
};

test("a contract that is no pool, or says of a pool what is not so, changes nothing", async () => {
  // No trade leaves the figures of an hour or a month while the chain goes on.
  await chain.mine([], 31 * 86_400);
  await chain.idle(STEADY_BLOCKS);
  const honest = await figures();
  const forger = await chain.deploy(exchangeCode().Forger);
  const word = (value: bigint | Hex): Hex => `0x${BigInt(value).toString(16).padStart(64, "0")}`;
  const emit = (name: keyof typeof POOL_TOPICS, topics: readonly (bigint | Hex)[], values: Hex) => {
    const all = [POOL_TOPICS[name], ...topics.map(word)];
    return chain.send(chain.builder, forger, "emit0(bytes32[],bytes)", all, values);
  };
  const { plain } = pools;
  const huge = 10n ** 30n;
  // Claims an honest pool, with other tokens and a deployer, and itself, which answers nothing that a pool answers.
  await emit("algebraPool", [tokens.ALT, tokens.USD], word(plain.address));
  await emit("customPool", [forger, ...plain.tokens], word(plain.address));
  await emit("algebraPool", plain.tokens, word(forger));
  await emit("initialize", [], encodeValues(["uint160", "int24"], 2n ** 150n, 500_000n));
  await emit("fee", [], word(60_000n));
  const types = ["int256", "int256", "uint160", "uint128", "int24"];
  await emit("swapV3", [forger, forger], encodeValues(types, huge, -huge, 2n ** 150n, huge, 500_000n));
  await chain.idle(STEADY_BLOCKS);

  assert.deepEqual(await figures(), honest);
  assert.equal((await indexed.get(`/api/v1/pools/${forger}`)).status, 404);
});

test("a custom pool of a known exchange sets no price", async () => {
  const honest = await figures();
  await chain.mine([algebra.swap(pools.custom, chain.builder, pools.custom.tokens[0] === tokens.USD, 10n ** 12n)]);
  await chain.idle(STEADY_BLOCKS);

  assert.deepEqual((await figures()).prices, honest.prices);
});
