import type { PoolType } from "../../../src/chain/exchange/exchangeFields.ts";
import type { PairCurve, PoolQuote, PoolSnapshot } from "../../../src/exchange/pool.ts";
import { quoteLiquidity, quoteReserves } from "../../../src/exchange/pool.ts";
import { SCALE } from "../../../src/exchange/prices.ts";
import type { PriceTable } from "../../../src/exchange/priceTable.ts";
import { priceTable, sidesOf } from "../../../src/exchange/priceTable.ts";
import { anchorsHeld, valueLocked } from "../../../src/exchange/value.ts";
import { lastingQuote } from "../../../src/exchange/window.ts";
import type { Random } from "../random.ts";

/** Two stables of 18 decimals and the coin; prices are dollars for a whole token. */
const STABLES = [1, 2] as const;
const COIN = 3;
const WHOLE = 10n ** 18n;
const HONEST_TOKENS = [10, 11, 12, 13];
const OWN_TOKENS = Array.from({ length: 12 }, (_, at) => 100 + at);
const BLOCKS = 31;

const isAnchor = (token: number) => token <= COIN;

/** A pool over a window of blocks: what it held and quoted in each stretch of them. */
export interface SimulatedPool {
  readonly id: number;
  readonly type: PoolType;
  readonly token0: number;
  readonly token1: number;
  /** Whether its factory is configured: then it has honest code, and its quotes count. */
  readonly isNamed: boolean;
  readonly stretches: readonly Stretch[];
}

interface Stretch {
  readonly blocks: number;
  readonly balance0: bigint;
  readonly balance1: bigint;
  readonly quote: PoolQuote | undefined;
}

export interface HonestMarket {
  readonly pools: readonly SimulatedPool[];
  readonly depth: number;
  /** Above the highest price of the coin in any of them, in whole dollars. */
  readonly coinPrice: number;
}

/** Pools of the coin with stables around one price, and of some tokens with all three. */
export function honestMarket(random: Random): HonestMarket {
  const pools: SimulatedPool[] = [];
  const [base, count] = [random.between(100, 4000), random.between(1, 5)];
  let [depth, coinPrice] = [0, 0];
  for (let at = 0; at < count; at++) {
    const [price, dollars] = [base + random.between(0, base / 50), random.between(20, 400) * base];
    pools.push(honestPair(pools.length, random.pick(STABLES), COIN, whole(dollars), whole(dollars) / BigInt(price)));
    depth += dollars;
    coinPrice = Math.max(coinPrice, price + 1);
  }
  for (const token of HONEST_TOKENS) {
    const dollars = random.between(2000, 200_000);
    pools.push(
      honestPair(pools.length, random.pick(STABLES), token, whole(dollars), whole(random.between(1, 10 ** 6))),
    );
  }
  return { pools, depth, coinPrice };
}

const CONSTANT_PRODUCT: PairCurve = { type: "v2", curve: undefined };

const whole = (amount: number) => BigInt(amount) * WHOLE;

function honestPair(id: number, token0: number, token1: number, balance0: bigint, balance1: bigint): SimulatedPool {
  const held = { balance0, balance1 };
  const quote = quoteReserves(CONSTANT_PRODUCT, { reserve0: balance0, reserve1: balance1 }, held);
  return { id, type: "v2", token0, token1, isNamed: true, stretches: [{ blocks: BLOCKS, ...held, quote }] };
}

/** Actions that a budget of dollars allows within a window of blocks. */
export interface Attack {
  readonly kinds: readonly PoolKind[];
  readonly lengths: readonly number[];
}

interface PoolKind {
  readonly type: PoolType;
  readonly token0: number;
  readonly token1: number;
  readonly isNamed: boolean;
  /** Decides amounts and prices, so that a kind can be kept while others change. */
  readonly seed: number;
}

export function drawAttack(random: Random): Attack {
  return {
    kinds: Array.from({ length: random.between(1, 40) }, () => drawKind(random)),
    lengths: drawLengths(random),
  };
}

export function changeAttack(random: Random, { kinds, lengths }: Attack): Attack {
  const kept = kinds.filter(() => random.chance(0.9));
  const added = Array.from({ length: random.between(1, 4) }, () => drawKind(random));
  return { kinds: [...kept, ...added].slice(-60), lengths: random.chance(0.2) ? drawLengths(random) : lengths };
}

function drawKind(random: Random): PoolKind {
  const tokens = [...STABLES, COIN, COIN, ...HONEST_TOKENS, ...OWN_TOKENS, ...OWN_TOKENS];
  const token0 = random.pick(tokens);
  let token1 = token0;
  while (token1 === token0) token1 = random.pick(tokens);
  const type = random.chance(0.5) ? "v2" : "v3";
  return { type, token0, token1, isNamed: random.chance(0.8), seed: random.int(2 ** 31) };
}

/** Often the money is elsewhere for all blocks but the first and the last. */
function drawLengths(random: Random): number[] {
  if (random.chance(0.3)) return [BLOCKS];
  if (random.chance(0.4)) return [1, BLOCKS - 2, 1];
  const first = random.between(1, BLOCKS - 2);
  const second = random.between(1, BLOCKS - 1 - first);
  return [first, second, BLOCKS - first - second];
}

/** The pools of an attack. After every block the anchors in all of them are worth the budget at most. */
export function runAttack(attack: Attack, budget: number, coinPrice: number, newRandom: (seed: number) => Random) {
  const randoms = attack.kinds.map(({ seed }) => newRandom(seed));
  const stretches = attack.lengths.map((blocks) => {
    const weights = attack.kinds.map(({ token0, token1 }, at) =>
      [token0, token1].map((token) => (isAnchor(token) ? drawWeight(randoms[at]!) : 0)),
    );
    const total = weights.flat().reduce((sum, weight) => sum + weight, 0) || 1;
    return attack.kinds.map((kind, at) => {
      const [balance0, balance1] = [kind.token0, kind.token1].map((token, side) => {
        if (!isAnchor(token)) return 10n ** BigInt(randoms[at]!.between(0, 40));
        const dollars = BigInt(Math.floor((budget * weights[at]![side]!) / total));
        return (dollars * WHOLE) / BigInt(token === COIN ? coinPrice : 1);
      }) as [bigint, bigint];
      return { blocks, balance0, balance1, quote: drawQuote(randoms[at]!, kind.type, { balance0, balance1 }) };
    });
  });
  return attack.kinds.map(
    ({ seed: _, ...kind }, at): SimulatedPool => ({
      ...kind,
      id: 1000 + at,
      stretches: stretches.map((pools) => pools[at]!),
    }),
  );
}

function drawWeight(random: Random): number {
  return random.chance(0.4) ? 0 : 10 ** random.between(0, 4);
}

/** A pair has reserves of what it holds, or less; a price and a liquidity of V3 can be anything. */
function drawQuote(random: Random, type: PoolType, held: Pick<PoolSnapshot, "balance0" | "balance1">) {
  if (type === "v3") {
    const sqrtPrice = BigInt(random.between(1, 1000)) << BigInt(random.between(30, 150));
    return quoteLiquidity({ sqrtPrice, liquidity: 1n << BigInt(random.between(0, 127)) }, held);
  }
  const part = (balance: bigint) => (random.chance(0.7) ? balance : balance / BigInt(random.between(1, 10 ** 6)));
  return quoteReserves(CONSTANT_PRODUCT, { reserve0: part(held.balance0), reserve1: part(held.balance1) }, held);
}

export interface Valuation {
  readonly table: PriceTable;
  /** In dollars of `SCALE`, by the pool's id. */
  readonly locked: ReadonlyMap<number, bigint>;
  readonly anchored: bigint;
}

export function valueMarket(pools: readonly SimulatedPool[]): Valuation {
  const snapshots = pools.map(({ id, token0, token1, stretches }) => {
    const { balance0, balance1 } = stretches.at(-1)!;
    return { id, token0, token1, balance0, balance1, quote: lastingQuote(stretches) };
  });
  const fixed = new Map(STABLES.map((stable) => [stable, SCALE / WHOLE]));
  const believed = snapshots.filter((_, at) => pools[at]!.isNamed);
  const table = priceTable(believed, { fixed, native: COIN }, { minimumDepth: 1000n * SCALE });
  const sides = snapshots.map((snapshot) => sidesOf(snapshot, table));
  return {
    table,
    locked: new Map(pools.map(({ id, type }, at) => [id, valueLocked(type, snapshots[at]!, sides[at]!)])),
    anchored: snapshots.reduce((sum, snapshot, at) => sum + anchorsHeld(snapshot, sides[at]!), 0n),
  };
}

export function coinValue({ table }: Valuation): bigint {
  return (table.prices.get(COIN)?.value ?? 0n) * WHOLE;
}
