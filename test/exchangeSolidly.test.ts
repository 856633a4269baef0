import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Hex } from "../src/chain/encoding/hex.ts";
import { fromHex, toHex } from "../src/chain/encoding/hex.ts";
import type { Actor } from "../src/demo/actors.ts";
import type { Intent } from "../src/demo/intent.ts";
import { STEADY_BLOCKS } from "../src/query/exchange/poolWindow.ts";
import { ExchangeChain } from "./support/exchange/chain.ts";
import { IndexedExchange } from "./support/exchange/indexed.ts";
import { wholeTokens } from "./support/exchange/plain.ts";
import { deployToken, expectDone } from "./support/exchange/scene.ts";
import type { SolidlyPool } from "./support/exchange/solidly.ts";
import { Solidly } from "./support/exchange/solidly.ts";
import { fingerprint } from "./support/fingerprint/fingerprint.ts";
import { Random } from "./support/random.ts";
import { firstSeed } from "./support/seed.ts";
import { POOL_TOPICS } from "./support/simulatedPools.ts";

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
  }
}

interface Quoted {
  readonly amountOutUnits: string;
  readonly routes: readonly { readonly hops: readonly (Entry & { isEstimate: boolean })[] }[];
}

const quoteOf = (from: Hex, to: Hex, amount: bigint) =>
  data<Quoted>(`/quote?tokenIn=${from}&tokenOut=${to}&amount=${amount}`);

/** What the pool pays by its own word, for amounts of all sizes. */
async function expectQuotes(label: string): Promise<number> {
  let answered = 0;
  for (const [name, pool] of Object.entries(pools)) {
    const [from, to] = random.chance(0.5) ? pool.tokens : [pool.tokens[1], pool.tokens[0]];
    const amount = 1n + (unitOf(from) * BigInt(random.between(1, 10 ** 9))) / 10n ** BigInt(random.int(9));
    const where = `${label}, ${name}: ${amount} of ${nameOf(from)}`;
    const [quote, expected] = [await quoteOf(from, to, amount), await pool.exchange.output(pool, from, amount)];
    assert.equal(BigInt(quote.amountOutUnits), expected ?? 0n, where);
    const [hop] = quote.routes.flatMap(({ hops }) => hops);
    if (hop === undefined) continue;
    assert.deepEqual([hop.feeTier, hop.isEstimate], [String(100n * (await pool.exchange.feeOf(pool))), false], where);
    answered++;
  }
  return answered;
}

async function expectShares(label: string): Promise<void> {
  for (const { address: user } of chain.actors) {
    const listed = await data<readonly Entry[]>(`/users/${user}/positions`);
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
    }
    assert.equal(listed.length, count, `${label}: ${user}`);
  }
}

test(`pools of Solidly are what their contracts say, after reorgs too (seed ${SEED})`, async () => {
  let answered = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const label = `seed ${SEED}, round ${round}`;
    await act();
    await indexed.observe();
    if (round % 4 === 1) {
      await chain.rewind(chain.height - random.between(1, 2));
      await act();
      await indexed.observe();
    }
    answered += await expectQuotes(label);
    if (round % 3 === 2) await expectPools(label);
    if (round % 3 === 2) await expectShares(label);
  }
  await expectPools(`seed ${SEED}, at the end`);
  assert.ok(answered > 3 * ROUNDS, `${answered} quotes`);

  const fresh = await IndexedExchange.open(chain, settings());
  await fresh.observe();
  assert.equal(await indexed.store.read(fingerprint), await fresh.store.read(fingerprint));
  await fresh.close();
});
