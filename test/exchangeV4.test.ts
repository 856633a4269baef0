import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { encodeValues } from "../src/chain/abi/encodeCall.ts";
import type { Hex } from "../src/chain/encoding/hex.ts";
import { toHex } from "../src/chain/encoding/hex.ts";
import { uintToBigInt } from "../src/chain/encoding/uint.ts";
import { sqrtPrice } from "../src/demo/scene/ticks.ts";
import { openQueryContext } from "../src/query/context.ts";
import { STEADY_BLOCKS } from "../src/query/exchange/poolWindow.ts";
import { listPoolPositions } from "../src/query/pools/poolPositions.ts";
import { ExchangeChain } from "./support/exchange/chain.ts";
import { exchangeCode } from "./support/exchange/contracts.ts";
import { IndexedExchange } from "./support/exchange/indexed.ts";
import { wholeTokens } from "./support/exchange/plain.ts";
import { expectAdapterEvents } from "./support/exchange/plainAdapter.ts";
import { deployToken, expectDone, MAX_UINT256, ZERO_ADDRESS } from "./support/exchange/scene.ts";
import type { PoolV4 } from "./support/exchange/v4.ts";
import { logsOfPool, poolIdOf, UniswapV4 } from "./support/exchange/v4.ts";
import { fingerprint } from "./support/fingerprint/fingerprint.ts";
import { Random } from "./support/random.ts";
import { firstSeed } from "./support/seed.ts";
import { POOL_TOPICS } from "./support/simulatedPools.ts";

type Entry = Readonly<Record<string, string>>;

const SEED = firstSeed();
const ROUNDS = Number(process.env.ORIEL_CASES ?? 12);
const ETHER = 10n ** 18n;
const DOLLAR = 10n ** 6n;

let chain: ExchangeChain;
let v4: UniswapV4;
let indexed: IndexedExchange;
const random = new Random(SEED);
const tokens = {} as Record<"USD" | "WETH" | "ALT", Hex>;
const pools = {} as Record<"coins" | "wrapped" | "far" | "gated", PoolV4>;

before(async () => {
  chain = await ExchangeChain.open();
  v4 = await UniswapV4.deploy(chain);
  tokens.USD = await deployToken(chain, "USD", 6);
  tokens.ALT = await deployToken(chain, "ALT", 18);
  tokens.WETH = await chain.deploy(exchangeCode().WETH9);
  await handOut();
  pools.wrapped = await v4.open(tokens.WETH, tokens.USD, 3000, 60, priceOf(tokens.WETH, 2000n * DOLLAR));
  pools.coins = await v4.open(ZERO_ADDRESS, tokens.USD, 500, 10, priceOf(ZERO_ADDRESS, 2000n * DOLLAR));
  pools.far = await v4.open(tokens.ALT, tokens.WETH, 10_000, 200, sqrtPrice(1n, 1n));
  const gate = await v4.gate(chain.actors[1]!);
  pools.gated = await v4.open(tokens.ALT, tokens.USD, 0x800000, 60, priceOf(tokens.ALT, 7n * DOLLAR), gate);
  for (const pool of Object.values(pools)) {
    const depth = pool === pools.far ? 1000n * ETHER : 10n ** 16n;
    expectDone(await chain.mine([v4.change(pool, chain.builder, rangeOf(pool), depth)]));
  }
  await chain.idle(STEADY_BLOCKS);
  indexed = await IndexedExchange.open(chain, settings());
  await indexed.observe();
});

after(async () => {
  await indexed.close();
  await chain.close();
});

const settings = () => ({ factories: [], stables: [tokens.USD], wrappedCoin: tokens.WETH, priceDepth: 1000 });

async function handOut(): Promise<void> {
  const intents = chain.actors.flatMap((actor) => [
    chain.intent(actor, tokens.USD, "mint(address,uint256)", actor.address, 10n ** 12n * DOLLAR),
    chain.intent(actor, tokens.ALT, "mint(address,uint256)", actor.address, 10n ** 9n * ETHER),
    { ...chain.intent(actor, tokens.WETH, "deposit()"), value: 2000n * ETHER },
    ...[v4.swaps, v4.liquidity, v4.positions].map((spender) =>
      chain.intent(actor, tokens.WETH, "approve(address,uint256)", spender, MAX_UINT256),
    ),
  ]);
  expectDone(await chain.mine(intents));
}

/** The square root of the price of a whole token of 18 decimals in dollars. */
function priceOf(token: Hex, dollars: bigint): bigint {
  return token < tokens.USD ? sqrtPrice(dollars, ETHER) : sqrtPrice(ETHER, dollars);
}

const spacingOf = ({ key }: PoolV4) => Number(key[3]);

function rangeOf(pool: PoolV4): [number, number] {
  const max = Math.floor(887_272 / spacingOf(pool)) * spacingOf(pool);
  return [-max, max];
}

const decimalsOf = (address: Hex) => (address === tokens.USD ? 6 : 18);

async function data<T = Entry>(url: string): Promise<T> {
  const { status, body } = await indexed.get<{ data: T }>(`/api/v1${url}`);
  assert.equal(status, 200, `${url}: ${JSON.stringify(body)}`);
  return body.data;
}

interface Held {
  readonly pool: PoolV4;
  readonly range: readonly [number, number];
  readonly salt: bigint;
  liquidity: bigint;
}

/** Swaps, and liquidity that comes and goes between ticks around the price. */
async function act(held: Held[]): Promise<void> {
  const intents = [];
  for (let count = random.between(1, 5); count > 0; count--) {
    const pool = random.pick(Object.values(pools));
    const from = pool === pools.gated ? chain.actors[1]! : random.pick(chain.actors);
    const known = held.filter((one) => one.liquidity > 0n);
    if (random.chance(0.3)) {
      const { tick } = await v4.state(pool);
      const middle = Math.round(Number(tick) / spacingOf(pool));
      const ends = [random.between(-30, 20), random.between(-20, 30)].map((by) => (middle + by) * spacingOf(pool));
      const range = [Math.min(...ends), Math.max(...ends) + spacingOf(pool)] as const;
      const one = { pool, range, salt: BigInt(random.int(3)), liquidity: BigInt(random.between(1, 1e15)) };
      held.push(one);
      intents.push(v4.change(pool, chain.builder, range, one.liquidity, one.salt));
    } else if (random.chance(0.2) && known.length > 0) {
      const one = random.pick(known);
      const part = random.chance(0.5) ? one.liquidity : one.liquidity / 3n;
      one.liquidity -= part;
      intents.push(v4.change(one.pool, chain.builder, one.range, -part, one.salt));
    } else {
      const isToken0 = random.chance(0.5);
      const unit = decimalsOf(pool.key[isToken0 ? 0 : 1]) === 6 ? DOLLAR : ETHER / 2000n;
      intents.push(v4.swap(pool, from, isToken0, (unit * BigInt(random.between(1, 1e6))) / 100n));
    }
  }
  await chain.mine(intents, random.pick([1, 12, 600, 9000]));
}

interface Sums {
  readonly volumes: [bigint, bigint];
  fees: number;
  swaps: number;
}

/** All trades of a pool by the receipts, and what they paid in dollars. */
function sumUp(pool: PoolV4, coinPrice: number): Sums {
  const sums: Sums = { volumes: [0n, 0n], fees: 0, swaps: 0 };
  const unitPrices = pool.key.slice(0, 2).map((token) => {
    if (token === tokens.USD) return 1e-6;
    return token === tokens.ALT ? undefined : coinPrice / 1e18;
  });
  for (let number = 0; number <= chain.height; number++) {
    const block = chain.node.context.chain.expectBlock(number);
    for (const words of logsOfPool(block, v4.manager, pool.id, POOL_TOPICS.swapV4)) {
      const amounts = [0, 1].map((at) => {
        const amount = BigInt.asIntN(256, words[at]!);
        return amount < 0n ? -amount : amount;
      });
      sums.volumes[0] += amounts[0]!;
      sums.volumes[1] += amounts[1]!;
      sums.swaps++;
      // The mean of two anchors, or the side of one.
      const values = unitPrices.flatMap((price, at) => (price === undefined ? [] : [Number(amounts[at]!) * price]));
      sums.fees += (values.reduce((sum, value) => sum + value, 0) / values.length) * (Number(words[5]!) / 1e6);
    }
  }
  return sums;
}

async function expectPools(label: string): Promise<void> {
  const coinPrice = Number((await data(`/tokens/${tokens.WETH}/price`)).priceUsd);
  for (const [name, pool] of Object.entries(pools)) {
    const [entry, state, sums] = [await data(`/pools/${pool.id}`), await v4.state(pool), sumUp(pool, coinPrice)];
    const where = `${label}, ${name}`;
    assert.deepEqual([entry.poolId, entry.poolType, entry.dex], [pool.id, "v4", "Uniswap V4"], where);
    const [stored] = await indexed.store.read(async (session) => {
      const [found] = await session.exchange.creationsAt([Buffer.from(v4.manager.slice(2) + pool.id.slice(2), "hex")]);
      return [(await session.exchange.states([found!.pool])).get(found!.pool)!];
    });
    const { sqrtPrice: price, tick, liquidity, feeProtocol0, feeProtocol1 } = stored;
    assert.deepEqual(
      { sqrtPrice: price, tick: BigInt(tick), liquidity, protocolFee: [BigInt(feeProtocol0), BigInt(feeProtocol1)] },
      state,
      where,
    );
    assert.deepEqual([stored.volume0, stored.volume1, stored.swaps], [...sums.volumes, sums.swaps], where);
    const swaps = await indexed.get<{ meta: { total: number } }>(`/api/v1/pools/${pool.id}/swaps?page_size=7`);
    assert.equal(swaps.body.meta.total, sums.swaps, where);
    const isFirstBase = entry.baseTokenAddress!.toLowerCase() === pool.key[0];
    const [base, quote] = isFirstBase ? [0, 1] : [1, 0];
    if (chain.head.header.timestamp - chain.node.context.chain.expectBlock(0).header.timestamp > 80_000) continue;
    const volumes = [base, quote].map((side) =>
      wholeTokens(sums.volumes[side as 0 | 1], decimalsOf(pool.key[side as 0 | 1])),
    );
    assert.deepEqual([entry.baseTokenVolume24, entry.quoteTokenVolume24], volumes, where);
    assertNear(Number(entry.fees24Usd), sums.fees, where);
  }
}

function assertNear(one: number, other: number, where: string): void {
  assert.ok(Math.abs(one - other) <= 1e-6 * Math.max(1, Math.abs(other)), `${where}: ${one} and ${other}`);
}

test(`V4 pools are what their manager says, after reorgs too (seed ${SEED})`, async () => {
  const held: Held[] = [];
  await chain.send(chain.builder, v4.manager, "setProtocolFeeController(address)", chain.builder.address);
  const setFee = "setProtocolFee((address,address,uint24,int24,address),uint24)";
  for (let round = 0; round < ROUNDS; round++) {
    if (round === 3) await chain.send(chain.builder, v4.manager, setFee, [...pools.wrapped.key], 300n + (1000n << 12n));
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

test("programs that list exchanges get the trades and liquidity of V4 pools, without reserves", async () => {
  const decimalsOfPool = ({ key }: PoolV4) => [decimalsOf(key[0]), decimalsOf(key[1])] as const;
  const listed = Object.values(pools).map(
    (pool) => ({ id: pool.id, emitter: v4.manager, kind: "singleton", decimals: decimalsOfPool(pool) }) as const,
  );

  const events = await expectAdapterEvents(indexed, chain, listed, `seed ${SEED}`);

  assert.ok(events.length > 10, String(events.length));
  assert.equal((await indexed.get(`/dexscreener/pair?id=${pools.coins.id}`)).status, 200);
  assert.equal((await indexed.get(`/geckoterminal/pair?id=${pools.coins.id}`)).status, 404);
  const { body } = await indexed.get(`/geckoterminal/asset?id=${ZERO_ADDRESS}`);
  assert.deepEqual(body, { asset: { id: ZERO_ADDRESS, name: "ETH", symbol: "ETH", decimals: 18 } });
});

test("what pools hold is what the manager has once all fees are collected", async () => {
  const positions = new Map<string, Parameters<UniswapV4["change"]>>();
  for (let number = 0; number <= chain.height; number++) {
    const block = chain.node.context.chain.expectBlock(number);
    for (const pool of Object.values(pools)) {
      for (const words of logsOfPool(block, v4.manager, pool.id, POOL_TOPICS.modifyLiquidity)) {
        const range = [0, 1].map((at) => Number(BigInt.asIntN(24, words[at]!))) as [number, number];
        positions.set([pool.id, ...range, words[3]].join(), [pool, chain.builder, range, 0n, words[3]!]);
      }
    }
  }
  for (const position of positions.values()) await chain.mine([v4.change(...position)]);
  for (const [token, at] of [tokens.USD, tokens.ALT, tokens.WETH].entries()) {
    const owed = (await chain.call(v4.manager, chain.height, "protocolFeesAccrued(address)", at))[0]!;
    const balance = (await chain.call(at, chain.height, "balanceOf(address)", v4.manager))[0]!;
    await indexed.observe();
    let sum = 0n;
    for (const pool of Object.values(pools)) {
      const entry = await data(`/pools/${pool.id}`);
      for (const side of [0, 1] as const) {
        if (pool.key[side] !== at) continue;
        const [whole, rest = ""] = entry[`token${side}Amount`]!.split(".");
        sum += BigInt(whole + rest.padEnd(decimalsOf(at), "0"));
      }
    }
    const difference = balance - owed - sum;
    // A few smallest units are rounded away in each step of a swap.
    assert.ok(difference > -1000n && difference < 1000n, `token ${token}: ${difference}`);
  }
});

test("quotes are what the contracts pay, and pools with hooks are left out", async () => {
  const { USD, ALT, WETH } = tokens;
  let exact = 0;
  for (let count = 0; count < ROUNDS; count++) {
    const [name, from, to] = random.pick([
      ["wrapped", WETH, USD],
      ["wrapped", USD, WETH],
      ["coins", ZERO_ADDRESS, USD],
      ["coins", USD, ZERO_ADDRESS],
      ["far", ALT, WETH],
    ] as const);
    const amount = BigInt(random.between(1, 1e6)) ** 2n * (from === USD ? 1n : 10n ** 9n);
    const quote = await data<Entry & { routes: readonly { hops: readonly Entry[] }[] }>(
      `/quote?tokenIn=${from}&tokenOut=${to}&amount=${amount}`,
    );
    const expected = (await v4.output(pools[name], pools[name].key[0] === from, amount)) ?? 0n;
    const hops = quote.routes.flatMap((route) => route.hops);
    assert.ok(hops.every(({ pool }) => pool !== pools.gated.id));
    if (hops.length > 1) continue;
    assert.equal(BigInt(quote.amountOutUnits!), expected, `${name}: ${amount} of ${from}`);
    exact++;
  }
  assert.ok(exact > ROUNDS / 2);
  const none = await data<Entry & { routes: unknown[] }>(`/quote?tokenIn=${ALT}&tokenOut=${USD}&amount=${2n ** 127n}`);
  assert.deepEqual([none.amountOut, none.routes.length], ["0", 0]);
});

test("positions of V4 belong to whoever has their token", async () => {
  const [, , owner, heir] = chain.actors;
  const mint = "mint((address,address,uint24,int24,address),int24,int24,int256,address)";
  const values = [[...pools.far.key], -2000n, 2000n, 10n ** 18n, owner!.address] as const;
  await chain.send(owner!, v4.positions, mint, ...values);
  await chain.send(owner!, v4.positions, mint, ...values);
  await chain.send(owner!, v4.positions, "transfer(uint256,address)", 2n, heir!.address);
  await indexed.observe();

  for (const [user, tokenId] of [
    [owner!, "1"],
    [heir!, "2"],
  ] as const) {
    const found = await data<readonly Entry[]>(`/users/${user.address}/positions`);
    assert.deepEqual(
      found.map(({ pool, poolType, tokenId: id, liquidity, manager }) => [pool, poolType, id, liquidity, manager]),
      [[pools.far.id, "v4", tokenId, String(10n ** 18n), checksummed(found[0]?.manager, v4.positions)]],
    );
    const [entry] = await data<readonly (Entry & { hasUserLiquidity: boolean })[]>(
      `/pools?pool_type=v4&dex=uniswap v4&fee=10000&user=${user.address}`,
    );
    assert.equal(entry?.hasUserLiquidity, true);
    const [gave] = await data<readonly Entry[]>(`/users/${user.address}/profits`);
    const history = await data<readonly Entry[]>(`/users/${user.address}/liquidity?position=${gave!.id}`);
    const events = await data<readonly Entry[]>(`/pools/${pools.far.id}/events?type=mint&page_size=2`);
    const event = events.find(({ log_index, block_number }) =>
      history.some((one) => one.log_index === log_index && one.block_number === block_number),
    );
    assert.deepEqual(
      history.map(({ type, token0Amount, token1Amount }) => [type, token0Amount, token1Amount]),
      [["mint", event?.token0Amount, event?.token1Amount]],
    );
    assert.deepEqual(
      [gave!.cost, gave!.deposited0, gave!.withdrawn0, gave!.fees0, gave!.worthUsd, gave!.profitUsd],
      [tokenId === "1" ? "unknown" : "transferred", event?.token0Amount, null, null, null, null],
    );
  }
});

test("positions in V4 pools themselves have an event for each change of their liquidity", async () => {
  const changes = new Map<string, number>();
  for (const pool of Object.values(pools)) {
    for (let number = 0; number <= chain.height; number++) {
      const block = chain.node.context.chain.expectBlock(number);
      for (const words of logsOfPool(block, v4.manager, pool.id, POOL_TOPICS.modifyLiquidity)) {
        const ticks = [0, 1].map((at) => BigInt.asIntN(24, words[at]!));
        const salt = `0x${words[3]!.toString(16).padStart(64, "0")}`;
        const id = [pool.id, ...ticks.map(String), salt].join(":");
        if (words[2] !== 0n) changes.set(id, (changes.get(id) ?? 0) + 1);
      }
    }
  }

  const own = await data<readonly Entry[]>(`/users/${v4.liquidity}/positions?page_size=50`);
  for (const { id = "" } of own) {
    const { body } = await indexed.get<{ meta: { total: number } }>(
      `/api/v1/users/${v4.liquidity}/liquidity?position=${id}`,
    );
    assert.equal(body.meta.total, changes.get(id), id);
  }
  assert.ok(own.length > 3, String(own.length));
});

test("the page of a V4 pool lists its positions with whoever has their token", async () => {
  const [, , owner, heir] = chain.actors;
  const context = openQueryContext({ store: indexed.store, exchange: settings() });
  let tokens = 0;
  for (const [name, pool] of Object.entries(pools)) {
    const expected = new Map<string, bigint>();
    for (let number = 0; number <= chain.height; number++) {
      const block = chain.node.context.chain.expectBlock(number);
      for (const words of logsOfPool(block, v4.manager, pool.id, POOL_TOPICS.modifyLiquidity)) {
        const [lower, upper] = [0, 1].map((at) => BigInt.asIntN(24, words[at]!));
        const key = `${lower} ${upper} ${words[3]}`;
        expected.set(key, (expected.get(key) ?? 0n) + BigInt.asIntN(256, words[2]!));
      }
    }
    const found = await listPoolPositions(context, pool.id, { page: 1, pageSize: 1000 });
    const { positions = [] } = found ?? {};

    const shown = positions.map(({ ticks, salt, liquidity }) => [
      `${ticks!.join(" ")} ${uintToBigInt(salt!)}`,
      liquidity,
    ]);
    assert.deepEqual(shown.sort(), [...expected].filter(([, liquidity]) => liquidity > 0n).sort(), name);
    for (const { owner: holder, manager, salt } of positions) {
      const isToken = manager !== undefined;
      const holders = { 1: owner!.address, 2: heir!.address } as Readonly<Record<string, Hex>>;
      assert.equal(toHex(holder), isToken ? holders[String(uintToBigInt(salt!))] : v4.liquidity, name);
      assert.equal(isToken ? toHex(manager) : v4.positions, v4.positions);
      tokens += Number(isToken);
    }
    const url = `/pools/${pool.id}?tab=positions`;
    const { payload } = await indexed.app.inject({ url, headers: { accept: "text/html" } });
    assert.equal(payload.match(/<li data-key=/g)?.length ?? 0, Math.min(positions.length, 25), name);
  }
  assert.equal(tokens, 2);
});

const checksummed = (given: string | undefined, wanted: Hex) => (given?.toLowerCase() === wanted ? given : wanted);

test("V4 pools are listed where they are asked for, with their trades and their page", async () => {
  const list = async (type: string) =>
    (await data<readonly Entry[]>(`/pools?pool_type=${type}`)).map((one) => one.poolId);
  const all = new Set(Object.values(pools).map(({ id }) => id));

  assert.deepEqual(await list("all"), []);
  assert.deepEqual(new Set(await list("v4")), all);
  assert.deepEqual(new Set(await list("any")), all);
  for (const sort of ["volume", "fees", "apr", "transactions", "created_at", "price_change"]) {
    assert.deepEqual(new Set(await list(`any&sort_by=${sort}`)), all, sort);
    assert.deepEqual(await list(`all&sort_by=${sort}`), [], sort);
  }
  const { total } = (await indexed.get<{ meta: { total: number } }>(`/api/v1/pools/${pools.far.id}/events`)).body.meta;
  const events = await data<readonly Entry[]>(`/pools/${pools.far.id}/events?page_size=100`);
  assert.equal(events.length, Math.min(total, 100));
  const [last] = await data<readonly Entry[]>(`/pools/${pools.far.id}/events?type=mint&page_size=1`);
  assert.deepEqual([last!.type, last!.liquidity, last!.tickLower], ["mint", String(10n ** 18n), -2000]);
  assert.ok(Number(last!.token0Amount) > 0 || Number(last!.token1Amount) > 0);
  assert.equal((await indexed.get(`/api/v1/pools/${pools.far.id}/candles`)).status, 200);
  assert.equal((await indexed.get(`/api/v1/pools/${pools.far.id}/tvl`)).status, 200);
  assert.equal((await indexed.get(`/api/v1/tokens/${ZERO_ADDRESS}/price`)).status, 200);
  for (const path of [
    "/pools?type=v4",
    `/pools/${pools.far.id}`,
    `/pools/${pools.far.id}?tab=liquidity`,
    "/pools/csv",
  ]) {
    const { statusCode, payload } = await indexed.app.inject({ url: path, headers: { accept: "text/html" } });
    assert.equal(statusCode, 200, path);
    assert.ok(payload.includes(path === "/pools/csv" ? pools.coins.id : "Uniswap V4"), path);
  }
  const listed = await data<readonly Entry[]>("/tokens");
  assert.ok(
    listed.every(({ token_address }) => token_address !== ZERO_ADDRESS),
    "the coin is no ERC-20 token",
  );
});

async function prices(): Promise<string[]> {
  await indexed.observe();
  const addresses = [tokens.WETH, tokens.ALT, ZERO_ADDRESS];
  return Promise.all(addresses.map(async (token) => (await data(`/tokens/${token}/price`)).priceUsd!));
}

test("the coin has the price of the wrapped one, and hooks set no price", async () => {
  await chain.idle(STEADY_BLOCKS);
  const honest = await prices();
  assert.equal(honest[0], honest[2]);
  assert.ok(Number(honest[0]) > 100 && Number(honest[1]) > 0, honest.join());

  // A gate that nobody passes keeps a price that nobody can correct, next to money that is really there.
  const gate = await v4.gate(chain.actors[1]!);
  const wrong = await v4.open(tokens.WETH, tokens.USD, 0x800000, 60, priceOf(tokens.WETH, 20_000_000n * DOLLAR), gate);
  expectDone(await chain.mine([v4.change(wrong, chain.builder, rangeOf(wrong), 5n * 10n ** 16n)]));
  await chain.idle(STEADY_BLOCKS);

  assert.deepEqual(await prices(), honest);
  const entry = await data(`/pools/${wrong.id}`);
  const usd = tokens.USD === wrong.key[0] ? entry.token0Amount : entry.token1Amount;
  assert.ok(Number(usd) > 0 && Number(entry.tvlUsd) >= Number(usd), "what it holds is there");
});

test("a manager that nobody knows has pools without value, price or trades, under names of their own", async () => {
  const honest = await prices();
  const forger = await chain.deploy(exchangeCode().Forger);
  const word = (value: bigint | Hex): Hex => `0x${BigInt(value).toString(16).padStart(64, "0")}`;
  const emit = (topics: readonly Hex[], values: Hex) =>
    chain.send(chain.builder, forger, "emit0(bytes32[],bytes)", [...topics], values);
  const { id, key } = pools.wrapped;
  const huge = 10n ** 30n;
  const initialized = encodeValues(
    ["uint24", "int24", "address", "uint160", "int24"],
    ...[key[2], key[3], key[4], 2n ** 150n, 500_000n],
  );
  await emit([POOL_TOPICS.initializeV4, id, word(key[0]), word(key[1])], initialized);
  const changed = encodeValues(["int24", "int24", "int256", "uint256"], -887_220n, 887_220n, huge, 1n);
  await emit([POOL_TOPICS.modifyLiquidity, id, word(v4.positions)], changed);
  const types = ["int128", "int128", "uint160", "uint128", "int24", "uint24"];
  await emit(
    [POOL_TOPICS.swapV4, id, word(forger)],
    encodeValues(types, -huge, huge, 2n ** 150n, huge, 500_000n, 3000n),
  );
  // An id that is not the hash of what it stands for is none.
  await emit([POOL_TOPICS.initializeV4, word(7n), word(key[0]), word(key[1])], initialized);
  await chain.idle(STEADY_BLOCKS);

  assert.deepEqual(await prices(), honest);
  const own = await data<readonly Entry[]>(`/pools?pool_type=v4&dex=${forger}`);
  assert.deepEqual(
    own.map((one) => [one.poolId, one.tvlUsd, one.volumeUsd24, one.fees24Usd, one.token0Amount, one.token1Amount]),
    [[`${forger}${id.slice(2)}`, "0", "0", "0", "0", "0"]],
  );
  assert.equal((await data(`/pools/${id}`)).dex, "Uniswap V4", "the id still is that of the known manager");
  assert.equal(poolIdOf(key), id);
  const owner = chain.actors[2]!;
  const [position] = await data<readonly Entry[]>(`/users/${owner.address}/positions`);
  assert.deepEqual([position!.pool, position!.liquidity], [pools.far.id, String(10n ** 18n)], "nor its positions");
  const history = await data<readonly Entry[]>(`/users/${owner.address}/liquidity?position=${v4.positions}:1`);
  assert.equal(history.length, 1, "nor what they got");
  const quote = await data<Entry>(`/quote?tokenIn=${tokens.USD}&tokenOut=${tokens.WETH}&amount=1000000&exchanges=all`);
  const expected = await v4.output(pools.wrapped, key[0] === tokens.USD, 1_000_000n);
  assert.ok(BigInt(quote.amountOutUnits!) >= expected! && BigInt(quote.amountOutUnits!) < 2n * expected!);
  assert.equal(toHex(chain.head.header.hash).length, 66);
});
