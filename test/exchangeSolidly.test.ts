import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { encodeValues } from "../src/chain/abi/encodeCall.ts";
import type { Hex } from "../src/chain/encoding/hex.ts";
import { fromHex, toHex } from "../src/chain/encoding/hex.ts";
import type { Actor } from "../src/demo/actors.ts";
import type { Intent } from "../src/demo/intent.ts";
import { STEADY_BLOCKS } from "../src/query/exchange/poolWindow.ts";
import { ExchangeChain } from "./support/exchange/chain.ts";
import { exchangeCode } from "./support/exchange/contracts.ts";
import { IndexedExchange } from "./support/exchange/indexed.ts";
import { wholeTokens } from "./support/exchange/plain.ts";
import { expectAdapterEvents } from "./support/exchange/plainAdapter.ts";
import { deployToken, expectDone } from "./support/exchange/scene.ts";
import type { SolidlyPool } from "./support/exchange/solidly.ts";
import { Solidly } from "./support/exchange/solidly.ts";
import { fingerprint } from "./support/fingerprint/fingerprint.ts";
import { Random } from "./support/random.ts";
import { firstSeed } from "./support/seed.ts";
import { POOL_TOPICS } from "./support/simulatedPools.ts";
import { compile } from "./support/solidity.ts";

type Entry = Readonly<Record<string, string>>;

const SEED = firstSeed();
const ROUNDS = Number(process.env.ORIEL_CASES ?? 10);

/** Decimals, and smallest units of a dollar. */
const TOKENS = {
  USD: [6, 10n ** 6n],
  DAI: [18, 10n ** 18n],
  EUR: [6, 10n ** 6n],
  COIN: [18, 10n ** 18n / 2000n],
  ALT: [18, 10n ** 17n],
  BIG: [24, 10n ** 24n],
  ZERO: [0, 1n],
} as const;

type Name = keyof typeof TOKENS;

/** A tree of tokens, so that between any two there is one way. */
const POOLS = {
  plain: [2, "COIN", "USD", false],
  stable: [2, "USD", "DAI", true],
  coarse: [2, "DAI", "ZERO", true],
  older: [1, "COIN", "ALT", false],
  olderStable: [1, "USD", "EUR", true],
  fine: [1, "EUR", "BIG", true],
} as const;

let chain: ExchangeChain;
let indexed: IndexedExchange;
const random = new Random(SEED);
const exchanges = {} as Record<1 | 2, Solidly>;
const tokens = {} as Record<Name, Hex>;
const pools = {} as Record<keyof typeof POOLS, SolidlyPool>;

const settings = () => ({
  factories: [
    { name: "Thena", address: exchanges[1].factory },
    { name: "Aerodrome", address: exchanges[2].factory },
  ],
  ...{ stables: [tokens.USD], wrappedCoin: tokens.COIN, priceDepth: 1000 },
});

const nameOf = (token: Hex) => Object.keys(TOKENS).find((name) => tokens[name as Name] === token) as Name;
const decimalsOf = (token: Hex) => TOKENS[nameOf(token)][0];
const unitOf = (token: Hex) => TOKENS[nameOf(token)][1];

before(async () => {
  chain = await ExchangeChain.open();
  for (const [name, [decimals]] of Object.entries(TOKENS))
    tokens[name as Name] = await deployToken(chain, name, decimals);
  for (const actor of chain.actors)
    expectDone(await chain.mine(Object.values(tokens).map((token) => given(actor, token))));
  for (const generation of [1, 2] as const) exchanges[generation] = await Solidly.deploy(chain, generation);
  for (const [name, [generation, a, b, isStable]] of Object.entries(POOLS)) {
    const pool = await exchanges[generation].open(tokens[a], tokens[b], isStable);
    pools[name as keyof typeof POOLS] = pool;
    expectDone(await chain.mine([pool.exchange.add(pool, chain.builder, worthOf(pool, 10n ** 6n))]));
  }
  await chain.idle(STEADY_BLOCKS);
  indexed = await IndexedExchange.open(chain, settings());
  await indexed.observe();
});

after(async () => {
  await indexed?.close();
  await chain?.close();
});

const given = (actor: Actor, token: Hex) =>
  chain.intent(actor, token, "mint(address,uint256)", actor.address, unitOf(token) * 10n ** 9n);

const worthOf = ({ tokens: [token0, token1] }: SolidlyPool, dollars: bigint) =>
  [unitOf(token0) * dollars, unitOf(token1) * dollars] as const;

async function data<T = Entry>(url: string): Promise<T> {
  const { status, body } = await indexed.get<{ data: T }>(`/api/v1${url}`);
  assert.equal(status, 200, `${url}: ${JSON.stringify(body)}`);
  return body.data;
}

/** From 10,000 units on, an amount tells its fee. */
function amountOf(token: Hex): bigint {
  const amount = (unitOf(token) * BigInt(random.between(1, 10 ** 6))) / 10n;
  return amount < 10_000n ? 10_000n + amount : amount;
}

/** Fees change in blocks of their own, so that those of a block are what the factory said before it. */
async function act(): Promise<void> {
  const pool = random.pick(Object.values(pools));
  if (random.chance(0.3)) await chain.mine([pool.exchange.setFee(pool, BigInt(random.int(300)), random.chance(0.5))]);
  const intents: Intent[] = [];
  for (let count = random.between(1, 5); count > 0; count--) intents.push(...(await actionOf()));
  await chain.mine(intents, random.pick([1, 12, 600, 9000]));
}

async function actionOf(): Promise<Intent[]> {
  const pool = random.pick(Object.values(pools));
  const { exchange, tokens: sides } = pool;
  const from = random.pick(chain.actors);
  const token = random.pick(sides);
  switch (random.int(9)) {
    case 0:
      return [exchange.add(pool, from, worthOf(pool, BigInt(random.between(20_000, 200_000))))];
    case 1: {
      const shares = await exchange.sharesOf(pool, from.address);
      return shares > 0n ? exchange.remove(pool, from, shares / BigInt(random.between(1, 4))) : [];
    }
    case 2: {
      const [amount0, amount1] = worthOf(pool, BigInt(random.between(10_000, 20_000)));
      return [exchange.flash(pool, from, [amount0, random.chance(0.5) ? amount1 : 0n, 2n * amount0, 2n * amount1])];
    }
    case 3:
      return [
        chain.intent(from, token, "transfer(address,uint256)", pool.address, amountOf(token)),
        ...(random.chance(0.5) ? [chain.intent(from, pool.address, "sync()")] : []),
        ...(random.chance(0.5) ? [chain.intent(from, pool.address, "skim(address)", from.address)] : []),
      ];
    case 4:
      return [chain.intent(from, pool.address, "claimFees()")];
    default:
      return [exchange.swap(pool, from, token, amountOf(token))];
  }
}

const words = (bytes: Uint8Array) => (toHex(bytes).slice(2).match(/.{64}/g) ?? []).map((word) => BigInt(`0x${word}`));

interface Sums {
  readonly volumes: [bigint, bigint];
  readonly charged: [bigint, bigint];
  /** By the Fees events. */
  readonly paid: [bigint, bigint];
  /** By the amounts of trades and the fee of the factory. */
  readonly owed: [bigint, bigint];
  fee: bigint;
  swaps: number;
}

/** All trades of a pool by the receipts, with the fees that the factory asked for. */
async function sumUp(pool: SolidlyPool): Promise<Sums> {
  const { address, exchange } = pool;
  const sums: Sums = { volumes: [0n, 0n], charged: [0n, 0n], paid: [0n, 0n], owed: [0n, 0n], fee: 0n, swaps: 0 };
  const swapTopic = POOL_TOPICS[exchange.generation === 1 ? "swapV2" : "swapSolidly"];
  for (let number = 0; number <= chain.height; number++) {
    for (const log of chain.node.context.chain.expectBlock(number).receipts.flatMap(({ logs }) => logs)) {
      if (toHex(log.address) !== address) continue;
      const [topic, values] = [toHex(log.topics.subarray(0, 32)), words(log.data)];
      if (topic === FEES) for (const at of [0, 1] as const) sums.paid[at] += values[at]!;
      if (topic !== swapTopic) continue;
      sums.swaps++;
      sums.fee = 100n * (await exchange.feeOf(pool, number - 1));
      for (const at of [0, 1] as const) {
        const [input, output] = [values[at]!, values[at + 2]!];
        const net = input > output ? input - output : output - input;
        sums.volumes[at] += net;
        sums.charged[at] += net * sums.fee;
        sums.owed[at] += (input * sums.fee) / 1_000_000n;
      }
    }
  }
  return sums;
}

const FEES = "0x112c256902bf554b6ed882d2936687aaeb4225e8cd5b51303c90ca6cf43a8602";

async function stateOf(pool: SolidlyPool) {
  return indexed.store.read(async (session) => {
    const [found] = await session.exchange.creationsAt([fromHex(pool.address)]);
    return (await session.exchange.states([found!.pool])).get(found!.pool)!;
  });
}

/** Whole tokens of token1 for one of token0 at the margin. */
function priceAt({ isStable, tokens: sides }: SolidlyPool, reserves: readonly [bigint, bigint]): number {
  const [x, y] = reserves.map((reserve, at) => Number(reserve) / 10 ** decimalsOf(sides[at]!)) as [number, number];
  return isStable ? (3 * x * x * y + y ** 3) / (x ** 3 + 3 * x * y * y) : y / x;
}

function assertNear(one: number, other: number, where: string, tolerance = 1e-9): void {
  assert.ok(Math.abs(one - other) <= tolerance * Math.max(1, Math.abs(other)), `${where}: ${one} and ${other}`);
}

async function expectPools(label: string): Promise<void> {
  const first = chain.node.context.chain.expectBlock(0).header.timestamp;
  for (const [name, pool] of Object.entries(pools)) {
    const where = `${label}, ${name}`;
    const [entry, sums, own] = [
      await data(`/pools/${pool.address}`),
      await sumUp(pool),
      await pool.exchange.state(pool),
    ];
    const dex = pool.exchange.generation === 1 ? "Thena" : "Aerodrome";
    const type = pool.isStable ? "stable" : "volatile";
    assert.deepEqual([entry.poolType, entry.dex, entry.feeTier], [type, dex, String(sums.fee)], where);
    const { reserve0, reserve1, solidly, ...stored } = await stateOf(pool);
    assert.deepEqual([reserve0, reserve1], own.reserves, where);
    assert.deepEqual([stored.volume0, stored.volume1, stored.swaps], [...sums.volumes, sums.swaps], where);
    assert.deepEqual([solidly!.charged0, solidly!.charged1], sums.charged, where);
    assert.deepEqual(sums.owed, sums.paid, where);
    for (const [side, token] of pool.tokens.entries())
      assert.equal(entry[`token${side}Amount`], wholeTokens(own.balances[side]!, decimalsOf(token)), where);
    const isFirst = entry.baseTokenAddress!.toLowerCase() === pool.tokens[0];
    const price = priceAt(pool, own.reserves);
    assertNear(Number(entry.price), isFirst ? price : 1 / price, where);
    const swaps = await indexed.get<{ meta: { total: number } }>(`/api/v1/pools/${pool.address}/swaps?page_size=7`);
    assert.equal(swaps.body.meta.total, sums.swaps, where);
    if (chain.head.header.timestamp - first > 80_000) continue;
    const order = isFirst ? ([0, 1] as const) : ([1, 0] as const);
    const volumes = order.map((side) => wholeTokens(sums.volumes[side], decimalsOf(pool.tokens[side])));
    assert.deepEqual([entry.baseTokenVolume24, entry.quoteTokenVolume24], volumes, where);
    const dollars = pool.tokens.indexOf(tokens.USD);
    if (pool.isStable && dollars >= 0)
      assertNear(Number(entry.fees24Usd), Number(sums.charged[dollars as 0 | 1]) / 1e12, where, 1e-7);
  }
}

interface Quoted {
  readonly amountOutUnits: string;
  readonly routes: readonly { readonly hops: readonly (Entry & { isEstimate: boolean })[] }[];
}

/** On a busy machine the node may take too long to say fees. */
async function answered<T>(ask: () => Promise<T>, isComplete: (answer: T) => boolean): Promise<T> {
  for (let attempts = 1; ; attempts++) {
    const answer = await ask();
    if (attempts === 10 || isComplete(answer)) return answer;
  }
}

const quoteOf = (from: Hex, to: Hex, amount: bigint) =>
  answered(
    () => data<Quoted>(`/quote?tokenIn=${from}&tokenOut=${to}&amount=${amount}`),
    ({ routes }) => routes.flatMap(({ hops }) => hops).every(({ isEstimate }) => !isEstimate),
  );

/** What the pool pays by its own word, for amounts of all sizes. */
async function expectQuotes(label: string): Promise<number> {
  let count = 0;
  for (const [name, pool] of Object.entries(pools)) {
    const [from, to] = random.chance(0.5) ? pool.tokens : [pool.tokens[1], pool.tokens[0]];
    const amount = 1n + (unitOf(from) * BigInt(random.between(1, 10 ** 9))) / 10n ** BigInt(random.int(9));
    const where = `${label}, ${name}: ${amount} of ${nameOf(from)}`;
    const [quote, expected] = [await quoteOf(from, to, amount), await pool.exchange.output(pool, from, amount)];
    assert.equal(BigInt(quote.amountOutUnits), expected ?? 0n, where);
    const [hop] = quote.routes.flatMap(({ hops }) => hops);
    if (hop === undefined) continue;
    assert.deepEqual([hop.feeTier, hop.isEstimate], [String(100n * (await pool.exchange.feeOf(pool))), false], where);
    count++;
  }
  return count;
}

/** Shares add up, and fees are what the receipts say was claimed. */
async function expectHistory(pool: SolidlyPool, user: Hex, shares: bigint, where: string): Promise<void> {
  const claimed = [0n, 0n];
  for (let number = 0; number <= chain.height; number++) {
    for (const log of chain.node.context.chain.expectBlock(number).receipts.flatMap(({ logs }) => logs)) {
      if (toHex(log.address) !== pool.address || words(log.topics)[0] !== BigInt(POOL_TOPICS.claim)) continue;
      if (words(log.topics)[1] !== BigInt(user)) continue;
      for (const [at, amount] of words(log.data).entries()) claimed[at]! += amount;
    }
  }
  const found: (Entry & { shares: string | null })[] = [];
  for (let page = 1; found.length === (page - 1) * 50; page++) {
    const url = `/users/${user}/liquidity?position=${pool.address}&page_size=50&page_num=${page}`;
    found.push(...(await data<typeof found>(url)));
  }
  const signed = ({ type, shares: moved }: (typeof found)[number]) =>
    BigInt(moved ?? 0) * (type === "mint" || type === "transfer_in" ? 1n : -1n);
  assert.equal(
    found.reduce((sum, one) => sum + signed(one), 0n),
    shares,
    where,
  );
  for (const side of [0, 1] as const) {
    const fees = found.filter(({ type }) => type === "collect").map((one) => Number(one[`token${side}Amount`]));
    const expected = Number(wholeTokens(claimed[side]!, decimalsOf(pool.tokens[side])));
    assertNear(
      fees.reduce((sum, one) => sum + one, 0),
      expected,
      where,
      1e-9,
    );
  }
}

async function expectShares(label: string): Promise<void> {
  for (const { address: user } of chain.actors) {
    const listed = await answered(
      () => data<readonly (Entry & { uncollected0: string | null })[]>(`/users/${user}/positions`),
      (positions) => positions.every(({ uncollected0 }) => uncollected0 !== null),
    );
    let count = 0;
    for (const [name, pool] of Object.entries(pools)) {
      const shares = await pool.exchange.sharesOf(pool, user);
      const found = listed.find((one) => one.pool!.toLowerCase() === pool.address);
      if (shares === 0n) continue;
      count++;
      const { balances, supply } = await pool.exchange.state(pool);
      const fees = await pool.exchange.claimable(pool, user);
      const whole = (amount: bigint, side: number) => wholeTokens(amount, decimalsOf(pool.tokens[side]!));
      assert.deepEqual(
        [found!.liquidity, found!.token0Amount, found!.token1Amount, found!.uncollected0, found!.uncollected1],
        [
          String(shares),
          ...balances.map((balance, side) => whole((shares * balance) / supply, side)),
          ...fees.map(whole),
        ],
        `${label}, ${name} of ${user}`,
      );
      await expectHistory(pool, user, shares, `${label}, ${name} of ${user}`);
    }
    assert.equal(listed.length, count, `${label}: ${user}`);
  }
}

test(`pools of Solidly are what their contracts say, after reorgs too (seed ${SEED})`, async () => {
  let quotes = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const label = `seed ${SEED}, round ${round}`;
    await act();
    await indexed.observe();
    if (round % 4 === 1) {
      await chain.rewind(chain.height - random.between(1, 2));
      await act();
      await indexed.observe();
    }
    quotes += await expectQuotes(label);
    if (round % 3 === 2) await expectPools(label);
    if (round % 3 === 2) await expectShares(label);
  }
  await expectPools(`seed ${SEED}, at the end`);
  assert.ok(quotes > 3 * ROUNDS, `${quotes} quotes`);

  const fresh = await IndexedExchange.open(chain, settings());
  await fresh.observe();
  assert.equal(await indexed.store.read(fingerprint), await fresh.store.read(fingerprint));
  await fresh.close();
});

test("pools of Solidly are listed where they are asked for, with their events and their page", async () => {
  const list = async (type: string) =>
    new Set(
      (await data<readonly Entry[]>(`/pools?pool_type=${type}&page_size=100`)).map((one) => one.poolId!.toLowerCase()),
    );
  const addressesOf = (isStable: boolean) =>
    Object.values(pools).flatMap((pool) => (pool.isStable === isStable ? [pool.address] : []));

  assert.deepEqual(await list("all"), new Set());
  assert.deepEqual(await list("volatile"), new Set(addressesOf(false)));
  assert.deepEqual(await list("stable"), new Set(addressesOf(true)));
  const [from] = chain.actors;
  for (const pool of [pools.stable, pools.older]) {
    const { exchange, address, tokens: sides } = pool;
    await chain.mine([
      exchange.add(pool, from!, worthOf(pool, 10n ** 6n)),
      exchange.swap(pool, from!, sides[0], unitOf(sides[0]) * 1000n),
      chain.intent(from!, address, "claimFees()"),
      ...exchange.remove(pool, from!, 10n ** 9n),
    ]);
    await indexed.observe();
    const events = await data<readonly Entry[]>(`/pools/${address}/events?page_size=4`);
    assert.deepEqual(
      events.map(({ type }) => type),
      ["burn", "collect", "swap", "mint"],
    );
    assert.ok(events.every(({ account, type }) => type === "mint" || account!.toLowerCase() === from!.address));
    for (const path of ["candles", "tvl"])
      assert.equal((await indexed.get(`/api/v1/pools/${address}/${path}`)).status, 200, path);
    for (const path of [`/pools?type=${pool.isStable ? "stable" : "volatile"}`, `/pools/${address}?tab=positions`]) {
      const { statusCode, payload } = await indexed.app.inject({ url: path, headers: { accept: "text/html" } });
      assert.deepEqual([statusCode, payload.includes(exchange.generation === 1 ? "Thena" : "Aerodrome")], [200, true]);
    }
  }
});

test("programs that list exchanges get the trades, liquidity and reserves of pools of Solidly", async () => {
  const listed = Object.values(pools).map(({ address, tokens: [token0, token1] }) => {
    const decimals = [decimalsOf(token0), decimalsOf(token1)] as const;
    return { id: address, emitter: address, kind: "pair", decimals } as const;
  });

  const events = await expectAdapterEvents(indexed, chain, listed, `seed ${SEED}`);

  assert.deepEqual(new Set(events.map(({ eventType }) => eventType)), new Set(["swap", "join", "exit"]));
  const { body } = await indexed.get<{ pair: object }>(`/geckoterminal/pair?id=${pools.plain.address}`);
  assert.ok(!("feeBps" in body.pair), "it may change");
});

test("candles of a stable pool have the slope of its curve", async () => {
  const { stable } = pools;
  const [entry, candles] = [
    await data(`/pools/${stable.address}`),
    await data<readonly Entry[]>(`/pools/${stable.address}/candles`),
  ];
  const last = candles.at(-1)!;

  assert.equal(last.close, entry.price);
  assert.ok(Number(last.low) <= Number(last.close) && Number(last.close) <= Number(last.high));
});

test("tokens have the price of the slope, and pools the value of what they hold", async () => {
  await chain.idle(STEADY_BLOCKS);
  await indexed.observe();
  for (const [pool, token] of [
    [pools.plain, tokens.COIN],
    [pools.stable, tokens.DAI],
    [pools.olderStable, tokens.EUR],
  ] as const) {
    const { reserves, balances } = await pool.exchange.state(pool);
    const isFirst = pool.tokens[0] === tokens.USD;
    const slope = priceAt(pool, reserves);
    const price = isFirst ? 1 / slope : slope;
    const [dollars, others] = isFirst ? balances : [balances[1], balances[0]];
    const worth = (Number(others) / 10 ** decimalsOf(token)) * price;
    const anchored = Number(dollars) / 1e6;
    const value = pool === pools.plain ? anchored + worth : anchored + Math.min(anchored, worth);

    assertNear(Number((await data(`/tokens/${token}/price`)).priceUsd), price, nameOf(token));
    assertNear(Number((await data(`/pools/${pool.address}`)).tvlUsd), value, nameOf(token), 1e-8);
  }
});

test("a stable pool has a price once its tokens have said their decimals", async () => {
  const token = await deployToken(chain, "NEW", 8);
  const { address } = chain.builder;
  await chain.send(chain.builder, token, "mint(address,uint256)", address, 10n ** 20n);
  const pool = await exchanges[2].open(token, tokens.USD, true);
  const amounts = pool.tokens.map((side) => (side === token ? 10n ** 14n : 10n ** 12n));
  expectDone(await chain.mine([exchanges[2].add(pool, chain.builder, [amounts[0]!, amounts[1]!])]));
  await indexed.index();
  const unseen = await data(`/pools/${pool.address}`);
  const refused = await quoteOf(token, tokens.USD, 10n ** 8n);
  await indexed.observe();
  await chain.idle(1);
  await indexed.index();

  assert.deepEqual([unseen.price, refused.amountOutUnits], ["0", "0"]);
  assert.equal((await data(`/pools/${pool.address}`)).price, "1");
  const quote = await quoteOf(token, tokens.USD, 10n ** 8n);
  assert.equal(BigInt(quote.amountOutUnits), await exchanges[2].output(pool, token, 10n ** 8n));
});

const figures = async () => {
  await indexed.observe();
  const shown = await data<readonly Entry[]>("/pools?pool_type=any&page_size=100");
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
  const { plain, olderStable } = pools;
  const claim = (pool: Hex, isStable: boolean) => encodeValues(["bool", "address", "uint256"], isStable, pool, 1n);
  // Claims pools of both generations, as they are and as they are not, and itself.
  for (const isStable of [true, false]) {
    await emit("solidlyPair", olderStable.tokens, claim(olderStable.address, isStable));
    await emit(
      "solidlyPool",
      [...plain.tokens, isStable ? 1n : 0n],
      encodeValues(["address", "uint256"], plain.address, 1n),
    );
    await emit("solidlyPair", plain.tokens, claim(forger, isStable));
  }
  const huge = 2n ** 256n - 1n;
  await emit("syncSolidly", [], encodeValues(["uint256", "uint256"], huge, huge));
  for (const name of ["swapV2", "swapSolidly"] as const)
    await emit(name, [forger, forger], encodeValues(Array(4).fill("uint256"), huge, huge, 1n, huge));
  await chain.idle(STEADY_BLOCKS);

  assert.deepEqual(await figures(), honest);
  assert.equal((await indexed.get(`/api/v1/pools/${forger}`)).status, 404);
});

test("pools of a factory that nobody configured are confirmed, quoted where that is asked for, and set no price", async () => {
  const honest = await figures();
  for (const generation of [1, 2] as const) {
    const other = await Solidly.deploy(chain, generation);
    const pool = await other.open(tokens.ALT, tokens.BIG, true);
    expectDone(await chain.mine([other.add(pool, chain.builder, worthOf(pool, 10n ** 7n))]));
    await indexed.observe();
    const entry = await data(`/pools/${pool.address}`);
    const amount = unitOf(tokens.ALT) * 5n;
    const path = `/quote?tokenIn=${tokens.ALT}&tokenOut=${tokens.BIG}&amount=${amount}&exchanges=all`;
    const quote = await data<Quoted>(path);
    const expected = await other.output(pool, tokens.ALT, amount);

    assert.match(entry.dex!, /^unknown-/);
    assert.deepEqual([entry.volumeUsd24, entry.fees24Usd, entry.feeApr], ["0", "0", "0"]);
    assert.ok(BigInt(quote.amountOutUnits) >= expected!);
    await other.chain.mine([other.swap(pool, chain.builder, tokens.ALT, unitOf(tokens.ALT) * 10n ** 6n)]);
  }
  await chain.idle(STEADY_BLOCKS);

  assert.deepEqual((await figures()).prices, honest.prices);
});

/** Is its own factory, and says of itself whatever makes it a pool with impossible reserves. */
const LIAR = `// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

contract Liar {
  event PoolCreated(address indexed token0, address indexed token1, bool indexed stable, address pool, uint256 count);
  event Sync(uint256 reserve0, uint256 reserve1);
  event Swap(address indexed sender, address indexed to, uint256 in0, uint256 in1, uint256 out0, uint256 out1);
  event Transfer(address indexed from, address indexed to, uint256 value);

  address public token0;
  address public token1;
  bool public constant stable = true;
  uint256 public fee;

  function factory() external view returns (address) { return address(this); }
  function getPool(address, address, bool) external view returns (address) { return address(this); }
  function getFee(address, bool) external view returns (uint256) { return fee; }
  function balanceOf(address) external pure returns (uint256) { return type(uint256).max; }
  function totalSupply() external pure returns (uint256) { return 1; }

  function open(address a, address b) external {
    (token0, token1) = a < b ? (a, b) : (b, a);
    emit PoolCreated(token0, token1, true, address(this), 1);
    emit Transfer(address(0), msg.sender, 5);
  }

  function lie(uint256 reserve0, uint256 reserve1, uint256 fee_) external {
    fee = fee_;
    emit Sync(reserve0, reserve1);
    emit Swap(msg.sender, msg.sender, reserve1, fee_, reserve0, 3);
  }
}
`;

test("stable pools that lie, and tokens with odd decimals, are answered like others", async () => {
  const honest = await figures();
  const code = compile(LIAR).Liar!.bytecode;
  const huge = 2n ** 256n - 1n;
  for (const decimals of [0, 77, 78, 255, null]) {
    const token = await deployToken(chain, "ODD", decimals);
    await chain.send(chain.builder, token, "mint(address,uint256)", chain.builder.address, 10n ** 30n);
    const liar = await chain.deploy(code);
    await chain.send(chain.builder, liar, "open(address,address)", token, tokens.USD);
    for (const [reserve0, reserve1, fee] of [
      [huge, huge, 0n],
      [1n, huge, 30n],
      [10n ** 40n, 10n ** 40n, huge],
      [0n, 5n, 9999n],
      [10n ** 12n, 10n ** 24n, 10_000n],
    ] as const) {
      await chain.send(chain.builder, liar, "lie(uint256,uint256,uint256)", reserve0, reserve1, fee);
      await indexed.observe();
      const paths = [`/pools/${liar}`, `/pools/${liar}/candles`, `/pools/${liar}/swaps`, `/pools/${liar}/tvl`];
      for (const path of paths) await data(path);
      for (const [from, to] of [
        [token, tokens.USD],
        [tokens.USD, token],
      ])
        await data(`/quote?tokenIn=${from}&tokenOut=${to}&amount=1000000000000&exchanges=all`);
      await data(`/users/${chain.builder.address}/positions`);
    }
    const { price } = await data(`/pools/${liar}`);
    assert.equal(price === "0", decimals === null || decimals > 77, `${decimals} decimals: ${price}`);
  }
  await chain.idle(STEADY_BLOCKS);

  assert.deepEqual((await figures()).prices, honest.prices);
});
