import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { encodeValues } from "../src/chain/abi/encodeCall.ts";
import type { Hex } from "../src/chain/encoding/hex.ts";
import { fromHex } from "../src/chain/encoding/hex.ts";
import { sqrtPrice } from "../src/demo/scene/ticks.ts";
import { STEADY_BLOCKS } from "../src/query/exchange/poolWindow.ts";
import { ExchangeChain } from "./support/exchange/chain.ts";
import { exchangeCode } from "./support/exchange/contracts.ts";
import { IndexedExchange } from "./support/exchange/indexed.ts";
import type { InfinityPool } from "./support/exchange/infinity.ts";
import { infinityId, PancakeInfinity } from "./support/exchange/infinity.ts";
import { wholeTokens } from "./support/exchange/plain.ts";
import { expectAdapterEvents } from "./support/exchange/plainAdapter.ts";
import { deployToken, expectDone, ZERO_ADDRESS } from "./support/exchange/scene.ts";
import { logsOfPool } from "./support/exchange/v4.ts";
import { fingerprint } from "./support/fingerprint/fingerprint.ts";
import { Random } from "./support/random.ts";
import { firstSeed } from "./support/seed.ts";
import { POOL_TOPICS } from "./support/simulatedPools.ts";

type Entry = Readonly<Record<string, string>>;

const SEED = firstSeed();
const ROUNDS = Number(process.env.ORIEL_CASES ?? 8);
const ETHER = 10n ** 18n;
const DOLLAR = 10n ** 6n;
const SHARES = 500n + (700n << 12n);

let chain: ExchangeChain;
let infinity: PancakeInfinity;
let indexed: IndexedExchange;
const random = new Random(SEED);
const tokens = {} as Record<"USD" | "COIN" | "ALT", Hex>;
const pools = {} as Record<"coins" | "wrapped" | "far", InfinityPool>;

const settings = () => ({
  factories: [{ name: "PancakeSwap Infinity", address: infinity.manager }],
  ...{ stables: [tokens.USD], wrappedCoin: tokens.COIN, priceDepth: 1000 },
});

before(async () => {
  chain = await ExchangeChain.open();
  infinity = await PancakeInfinity.deploy(chain);
  for (const [name, decimals] of [
    ["USD", 6],
    ["COIN", 18],
    ["ALT", 18],
  ] as const)
    tokens[name] = await deployToken(chain, name, decimals);
  const given = chain.actors.flatMap(({ address }) =>
    Object.values(tokens).map((token) =>
      chain.intent(chain.builder, token, "mint(address,uint256)", address, 10n ** 30n),
    ),
  );
  expectDone(await chain.mine(given));
  pools.wrapped = await infinity.open([tokens.COIN, tokens.USD], 3000, 60, priceOf(tokens.COIN, 2000n * DOLLAR));
  await infinity.setFirstProtocolFee(SHARES);
  pools.coins = await infinity.open([ZERO_ADDRESS, tokens.USD], 500, 10, priceOf(ZERO_ADDRESS, 2000n * DOLLAR));
  pools.far = await infinity.open([tokens.ALT, tokens.COIN], 10_000, 200, sqrtPrice(1n, 1n));
  for (const pool of Object.values(pools)) {
    const depth = pool === pools.far ? 1000n * ETHER : 10n ** 16n;
    expectDone(await chain.mine([infinity.change(pool, chain.builder, rangeOf(pool), depth)]));
  }
  await chain.idle(STEADY_BLOCKS);
  indexed = await IndexedExchange.open(chain, settings());
  await indexed.observe(3);
});

after(async () => {
  await indexed?.close();
  await chain?.close();
});

function priceOf(token: Hex, dollars: bigint): bigint {
  return token < tokens.USD ? sqrtPrice(dollars, ETHER) : sqrtPrice(ETHER, dollars);
}

function rangeOf({ spacing }: InfinityPool): [number, number] {
  const max = Math.floor(887_272 / spacing) * spacing;
  return [-max, max];
}

const decimalsOf = (address: Hex) => (address === tokens.USD ? 6 : 18);

async function data<T = Entry>(url: string): Promise<T> {
  const { status, body } = await indexed.get<{ data: T }>(`/api/v1${url}`);
  assert.equal(status, 200, `${url}: ${JSON.stringify(body)}`);
  return body.data;
}

interface Quoted {
  readonly amountOutUnits: string;
  readonly routes: readonly { readonly hops: readonly (Entry & { isEstimate: boolean })[] }[];
}

const quoteOf = (from: Hex, to: Hex, amount: bigint) =>
  data<Quoted>(`/quote?tokenIn=${from}&tokenOut=${to}&amount=${amount}`);

/** Swaps, and liquidity that comes and goes between ticks around the price. */
async function act(): Promise<void> {
  const intents = [];
  for (let count = random.between(1, 5); count > 0; count--) {
    const pool = random.pick(Object.values(pools));
    if (random.chance(0.4)) {
      const middle = Math.round(Number((await infinity.state(pool)).tick) / pool.spacing);
      const ends = [random.between(-30, 20), random.between(-20, 30)].map((by) => (middle + by) * pool.spacing);
      const range = [Math.min(...ends), Math.max(...ends) + pool.spacing] as const;
      const [liquidity, salt] = [BigInt(random.between(1, 1e15)), BigInt(random.int(3))];
      intents.push(infinity.change(pool, chain.builder, range, liquidity, salt));
      if (random.chance(0.5)) intents.push(infinity.change(pool, chain.builder, range, -liquidity / 3n, salt));
    } else {
      const isToken0 = random.chance(0.5);
      const unit = decimalsOf(pool.key[isToken0 ? 0 : 1]) === 6 ? DOLLAR : ETHER / 2000n;
      const amount = (unit * BigInt(random.between(1, 1e6))) / 100n;
      intents.push(infinity.swap(pool, random.pick(chain.actors), isToken0, amount));
    }
  }
  expectDone(await chain.mine(intents, random.pick([1, 12, 600])));
}

interface Sums {
  readonly volumes: [bigint, bigint];
  readonly charged: [bigint, bigint];
  swaps: number;
  isSwapped: [boolean, boolean];
}

/** All trades of a pool by the receipts. */
function sumUp({ id }: InfinityPool): Sums {
  const sums: Sums = { volumes: [0n, 0n], charged: [0n, 0n], swaps: 0, isSwapped: [false, false] };
  for (let number = 0; number <= chain.height; number++) {
    const block = chain.node.context.chain.expectBlock(number);
    for (const words of logsOfPool(block, infinity.manager, id, POOL_TOPICS.swapInfinity)) {
      sums.swaps++;
      for (const at of [0, 1] as const) {
        const amount = BigInt.asIntN(256, words[at]!);
        if (amount < 0n) sums.isSwapped[at] = true;
        sums.volumes[at] += amount < 0n ? -amount : amount;
        sums.charged[at] += (amount < 0n ? -amount : amount) * words[5]!;
      }
    }
  }
  return sums;
}

async function expectPools(label: string): Promise<void> {
  for (const [name, pool] of Object.entries(pools)) {
    const [entry, state, sums] = [await data(`/pools/${pool.id}`), await infinity.state(pool), sumUp(pool)];
    const where = `${label}, ${name}`;
    assert.deepEqual([entry.poolId, entry.poolType, entry.dex], [pool.id, "infinity", "PancakeSwap Infinity"], where);
    assert.equal(entry.feeTier, String(pool.key[4]), where);
    const stored = await indexed.store.read(async (session) => {
      const [found] = await session.exchange.creationsAt([fromHex(`${infinity.manager}${pool.id.slice(2)}`)]);
      assert.equal(found!.tickSpacing, pool.spacing);
      return (await session.exchange.states([found!.pool])).get(found!.pool)!;
    });
    const { sqrtPrice: price, tick, liquidity, singleton } = stored;
    assert.deepEqual([price, BigInt(tick), liquidity], [state.sqrtPrice, state.tick, state.liquidity], where);
    const shares = [stored.feeProtocol0, stored.feeProtocol1].map(BigInt);
    for (const at of [0, 1] as const) if (sums.isSwapped[at]) assert.equal(shares[at], state.shares[at], where);
    assert.deepEqual([stored.volume0, stored.volume1, stored.swaps], [...sums.volumes, sums.swaps], where);
    assert.deepEqual([singleton!.charged0, singleton!.charged1], sums.charged, where);
    const [base, quote] = entry.baseTokenAddress!.toLowerCase() === pool.key[0] ? ([0, 1] as const) : ([1, 0] as const);
    const volumes = [base, quote].map((side) => wholeTokens(sums.volumes[side], decimalsOf(pool.key[side])));
    assert.deepEqual([entry.baseTokenVolume24, entry.quoteTokenVolume24], volumes, where);
    if (name === "wrapped") {
      const at = pool.key[0] === tokens.USD ? 0 : 1;
      const { priceUsd } = await data(`/tokens/${tokens.COIN}/price`);
      const other = (Number(sums.charged[at === 0 ? 1 : 0]) / 1e24) * Number(priceUsd);
      const fees = (Number(sums.charged[at]) / 1e12 + other) / 2;
      assert.ok(
        Math.abs(Number(entry.fees24Usd) - fees) <= 1e-6 * Math.max(1, fees),
        `${where}: ${entry.fees24Usd}, ${fees}`,
      );
    }
  }
}

test("a pool of Infinity is quoted as an estimate until a swap has told the share of the protocol", async () => {
  const { USD, ALT, COIN } = tokens;
  const [before, amount] = [await quoteOf(ALT, COIN, ETHER), ETHER];
  const [into] = [pools.far.key[0] === ALT];
  expectDone(await chain.mine([infinity.swap(pools.far, chain.builder, into, ETHER)]));
  await indexed.index();
  const [known, other] = [await quoteOf(ALT, COIN, amount), await quoteOf(COIN, ALT, amount)];
  const isEstimate = ({ routes }: Quoted) => routes[0]!.hops[0]!.isEstimate;

  assert.deepEqual([before, known, other].map(isEstimate), [true, false, true]);
  assert.equal(BigInt(known.amountOutUnits), await infinity.output(pools.far, into, amount));
  assert.ok(BigInt(before.amountOutUnits) > BigInt(known.amountOutUnits));
  await infinity.setProtocolFee(pools.wrapped, 300n + (1000n << 12n));
  await indexed.index();
  const set = await quoteOf(USD, COIN, DOLLAR);
  assert.equal(isEstimate(set), false);
  assert.equal(BigInt(set.amountOutUnits), await infinity.output(pools.wrapped, pools.wrapped.key[0] === USD, DOLLAR));
});

test(`pools of Infinity are what their manager says, after reorgs too (seed ${SEED})`, async () => {
  for (const pool of Object.values(pools))
    for (const isToken0 of [true, false])
      expectDone(await chain.mine([infinity.swap(pool, chain.builder, isToken0, 10n ** 9n)]));
  let exact = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const label = `seed ${SEED}, round ${round}`;
    await act();
    await indexed.index();
    if (round % 3 === 1) {
      await chain.rewind(chain.height - 1);
      await act();
      await indexed.index();
    }
    const [name, from, to] = random.pick([
      ["wrapped", tokens.COIN, tokens.USD],
      ["wrapped", tokens.USD, tokens.COIN],
      ["coins", ZERO_ADDRESS, tokens.USD],
      ["coins", tokens.USD, ZERO_ADDRESS],
      ["far", tokens.ALT, tokens.COIN],
    ] as const);
    const amount = BigInt(random.between(1, 1e6)) ** 2n * (from === tokens.USD ? 1n : 10n ** 9n);
    const quote = await quoteOf(from, to, amount);
    const hops = quote.routes.flatMap((route) => route.hops);
    const expected = (await infinity.output(pools[name], pools[name].key[0] === from, amount)) ?? 0n;
    if (hops.length > 1) continue;
    assert.equal(BigInt(quote.amountOutUnits), expected, `${label}, ${name}: ${amount} of ${from}`);
    assert.ok(hops.every(({ isEstimate }) => !isEstimate));
    exact++;
  }
  await expectPools(`seed ${SEED}, at the end`);

  assert.ok(exact > ROUNDS / 2, String(exact));
  const fresh = await IndexedExchange.open(chain, settings());
  await fresh.index();
  await indexed.observe(3);
  assert.equal(await indexed.store.read(fingerprint), await fresh.store.read(fingerprint));
  await fresh.close();
});

test("what pools of Infinity hold is what the vault has once all fees are collected", async () => {
  const positions = new Map<string, Parameters<PancakeInfinity["change"]>>();
  for (let number = 0; number <= chain.height; number++) {
    const block = chain.node.context.chain.expectBlock(number);
    for (const pool of Object.values(pools)) {
      for (const words of logsOfPool(block, infinity.manager, pool.id, POOL_TOPICS.modifyLiquidity)) {
        const range = [0, 1].map((at) => Number(BigInt.asIntN(24, words[at]!))) as [number, number];
        positions.set([pool.id, ...range, words[3]].join(), [pool, chain.builder, range, 0n, words[3]!]);
      }
    }
  }
  for (const position of positions.values()) await chain.mine([infinity.change(...position)]);
  await indexed.index();
  for (const token of Object.values(tokens)) {
    let sum = 0n;
    for (const pool of Object.values(pools)) {
      const entry = await data(`/pools/${pool.id}`);
      for (const side of [0, 1] as const) {
        if (pool.key[side] !== token) continue;
        const [whole, rest = ""] = entry[`token${side}Amount`]!.split(".");
        sum += BigInt(whole + rest.padEnd(decimalsOf(token), "0"));
      }
    }
    const difference = (await infinity.held(token)) - sum;
    // A few smallest units are rounded away in each step of a swap.
    assert.ok(difference > -1000n && difference < 1000n, `token ${token}: ${difference}`);
  }
});

test("pools of Infinity are listed where they are asked for, with their events, positions and page", async () => {
  const [, , owner] = chain.actors;
  expectDone(await chain.mine([infinity.mint(pools.far, owner!, [-2000, 2000], 10n ** 18n)]));
  await indexed.observe(3);
  const list = async (type: string) =>
    new Set((await data<readonly Entry[]>(`/pools?pool_type=${type}`)).map((one) => one.poolId));
  const all = new Set(Object.values(pools).map(({ id }) => id));

  assert.deepEqual(await list("all"), new Set());
  assert.deepEqual(await list("v4&exchanges=known"), new Set());
  assert.deepEqual(await list("infinity"), all);
  assert.deepEqual(await list("any&exchanges=known"), all);
  const [last] = await data<readonly Entry[]>(`/pools/${pools.far.id}/events?type=mint&page_size=1`);
  assert.deepEqual([last!.type, last!.liquidity, last!.tickLower], ["mint", String(10n ** 18n), -2000]);
  const [position] = await data<readonly Entry[]>(`/users/${owner!.address}/positions`);
  assert.deepEqual([position!.pool, position!.tokenId, position!.poolType], [pools.far.id, "1", "infinity"]);
  const [gave] = await data<readonly Entry[]>(`/users/${owner!.address}/profits`);
  assert.equal(gave!.cost, "unknown");
  for (const path of ["candles", "tvl", "swaps"])
    assert.equal((await indexed.get(`/api/v1/pools/${pools.far.id}/${path}`)).status, 200, path);
  for (const path of ["/pools?type=infinity", `/pools/${pools.far.id}`, `/pools/${pools.far.id}?tab=positions`]) {
    const { statusCode, payload } = await indexed.app.inject({ url: path, headers: { accept: "text/html" } });
    assert.deepEqual([statusCode, payload.includes("PancakeSwap Infinity")], [200, true], path);
  }
  const { priceUsd } = await data(`/tokens/${tokens.COIN}/price`);
  assert.ok(Number(priceUsd) > 0);
  assert.equal((await data(`/tokens/${ZERO_ADDRESS}/price`)).priceUsd, priceUsd);
});

test("programs that list exchanges get the trades and liquidity of pools of Infinity", async () => {
  const listed = Object.values(pools).map(
    ({ id, key }) =>
      ({
        id,
        emitter: infinity.manager,
        kind: "singleton",
        decimals: [decimalsOf(key[0]), decimalsOf(key[1])],
      }) as const,
  );

  const events = await expectAdapterEvents(indexed, chain, listed, `seed ${SEED}`);

  assert.ok(events.length > 10, String(events.length));
});

test("a manager of Infinity that nobody configured has pools without value, and hooks set no price", async () => {
  await chain.idle(STEADY_BLOCKS);
  const prices = async () => {
    await indexed.observe(3);
    return Promise.all([tokens.COIN, tokens.ALT].map(async (token) => (await data(`/tokens/${token}/price`)).priceUsd));
  };
  const honest = await prices();
  const wrong = priceOf(tokens.COIN, 20_000_000n * DOLLAR);
  const hooked = await infinity.open([tokens.COIN, tokens.USD], 700, 60, wrong, chain.actors[1]!.address);
  expectDone(await chain.mine([infinity.change(hooked, chain.builder, rangeOf(hooked), 5n * 10n ** 16n)]));
  const forger = await chain.deploy(exchangeCode().Forger);
  const word = (value: bigint | Hex): Hex => `0x${BigInt(value).toString(16).padStart(64, "0")}`;
  const emit = (topics: readonly Hex[], values: Hex) =>
    chain.send(chain.builder, forger, "emit0(bytes32[],bytes)", [...topics], values);
  const { id, key } = pools.wrapped;
  const own = infinityId([key[0], key[1], key[2], forger, key[4], key[5]]);
  const types = ["address", "uint24", "bytes32", "uint160", "int24"];
  const initialized = encodeValues(types, key[2], key[4], key[5], 2n ** 150n, 500_000n);
  // The id of another manager's pool is not that of its own.
  for (const claimed of [id, own, word(7n)])
    await emit([POOL_TOPICS.initializeInfinity, claimed, word(key[0]), word(key[1])], initialized);
  const huge = 10n ** 30n;
  const swapTypes = ["int128", "int128", "uint160", "uint128", "int24", "uint24", "uint16"];
  for (const claimed of [id, own]) {
    await emit(
      [POOL_TOPICS.modifyLiquidity, claimed, word(infinity.trader)],
      encodeValues(["int24", "int24", "int256", "uint256"], -887_220n, 887_220n, huge, 1n),
    );
    await emit(
      [POOL_TOPICS.swapInfinity, claimed, word(forger)],
      encodeValues(swapTypes, -huge, huge, 2n ** 150n, huge, 500_000n, 0xffffffn, 0xffffn),
    );
  }
  await chain.idle(STEADY_BLOCKS);

  assert.deepEqual(await prices(), honest);
  const listed = await data<readonly Entry[]>(`/pools?pool_type=infinity&dex=${forger}`);
  assert.deepEqual(
    listed.map((one) => [one.poolId, one.tvlUsd, one.volumeUsd24, one.fees24Usd, one.token0Amount]),
    [[`${forger}${own.slice(2)}`, "0", "0", "0", "0"]],
  );
  assert.equal((await data(`/pools/${id}`)).dex, "PancakeSwap Infinity");
  assert.ok(Number((await data(`/pools/${hooked.id}`)).tvlUsd) > 0, "what it holds is there");
  for (const filter of ["known", "all"]) {
    const path = `/quote?tokenIn=${tokens.USD}&tokenOut=${tokens.COIN}&amount=1000000&exchanges=${filter}`;
    const { routes } = await data<Quoted>(path);
    assert.ok(routes.flatMap(({ hops }) => hops).every(({ pool }) => pool !== hooked.id && !pool!.startsWith(forger)));
  }
});
