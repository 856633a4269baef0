import { Turn } from "../std/async.ts";
import { sqrt } from "../std/numbers.ts";
import type { PoolSnapshot } from "./pool.ts";

/** Prices and values are multiples of 10^-60 of the unit of account. */
export const SCALE = 10n ** 60n;

/** Value of a token's smallest unit, and its derivation. */
export interface TokenPrice {
  /** In units of 1 / SCALE. */
  readonly value: bigint;
  /** Value in the thinnest pool on the route to an anchor; undefined for a configured anchor. */
  readonly depth: bigint | undefined;
  /** The pool that sets the price and the token on its other side, priced without this one. */
  readonly source?: { readonly pool: number; readonly token: number } | undefined;
  readonly hops: number;
}

/** Roots of all prices: configured tokens worth one unit of account, and the wrapped native coin. */
export interface Anchors {
  /** Value of a smallest unit, by token. */
  readonly fixed: ReadonlyMap<number, bigint>;
  /** Priced by all its pools with fixed anchors together, so that no single pool decides. */
  readonly native: number | undefined;
}

export interface PriceRules {
  /** Minimum value on the priced side of a pool. */
  readonly minimumDepth: bigint;
}

/** Pools between a token and an anchor. */
const MAX_HOPS = 3;

interface Offer {
  readonly token: number;
  readonly price: TokenPrice;
  readonly width: bigint;
  readonly order: number;
}

/**
 * Prices tokens outward from the anchors, widest route first. A route is as wide as its thinnest pool, so a price can
 * only be moved by pools that hold more. Each token is priced once, by pools whose other side does not depend on it.
 * Ties resolve by pool order.
 */
export function findPrices(
  pools: readonly PoolSnapshot[],
  anchors: Anchors,
  rules: PriceRules,
): Map<number, TokenPrice> {
  const steps = findInSteps(pools, anchors, rules);
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** Yields to the event loop if there are many pools. */
export async function findPricesInTurns(
  pools: readonly PoolSnapshot[],
  anchors: Anchors,
  rules: PriceRules,
): Promise<Map<number, TokenPrice>> {
  const steps = findInSteps(pools, anchors, rules);
  const turn = new Turn();
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    await turn.yieldToEventLoop();
  }
}

/** Pools per step. */
const STEP = 100;

type Steps<T> = Generator<undefined, T, undefined>;

function* findInSteps(
  pools: readonly PoolSnapshot[],
  anchors: Anchors,
  rules: PriceRules,
): Steps<Map<number, TokenPrice>> {
  const prices = new Map<number, TokenPrice>();
  for (const [token, value] of anchors.fixed) prices.set(token, { value, depth: undefined, hops: 0 });
  const byToken = yield* poolsByToken(pools);
  const { native } = anchors;
  if (native !== undefined && !prices.has(native)) {
    const price = yield* priceNative(pools, byToken.get(native) ?? [], native, prices, rules);
    if (price !== undefined) prices.set(native, price);
  }
  const offers = new Offers();
  function* offerFrom(token: number): Steps<void> {
    const known = prices.get(token)!;
    if (known.hops >= MAX_HOPS) return;
    for (const [at, order] of (byToken.get(token) ?? []).entries()) {
      const offer = offerOf(pools[order]!, token, known, rules, order);
      if (offer !== undefined && !prices.has(offer.token)) offers.push(offer);
      if (at % STEP === STEP - 1) yield;
    }
  }
  for (const token of [...prices.keys()]) yield* offerFrom(token);
  for (let offer = offers.pop(), taken = 0; offer !== undefined; offer = offers.pop(), taken++) {
    if (taken % STEP === STEP - 1) yield;
    if (prices.has(offer.token)) continue;
    prices.set(offer.token, offer.price);
    yield* offerFrom(offer.token);
  }
  return prices;
}

function* poolsByToken(pools: readonly PoolSnapshot[]): Steps<Map<number, number[]>> {
  const byToken = new Map<number, number[]>();
  for (const [order, { token0, token1, quote }] of pools.entries()) {
    if (order % STEP === STEP - 1) yield;
    if (quote === undefined) continue;
    for (const token of [token0, token1]) {
      const list = byToken.get(token);
      if (list === undefined) byToken.set(token, [order]);
      else list.push(order);
    }
  }
  return byToken;
}

/** Price that a pool implies for its other token. */
function offerOf(
  { id, token0, token1, quote }: PoolSnapshot,
  token: number,
  known: TokenPrice,
  { minimumDepth }: PriceRules,
  order: number,
): Offer | undefined {
  if (quote === undefined) return undefined;
  const isFirst = token === token0;
  const held = known.value * (isFirst ? quote.depth0 : quote.depth1);
  if (held <= 0n || held < minimumDepth) return undefined;
  const { numerator, denominator } = quote.price;
  const value = isFirst ? (known.value * denominator) / numerator : (known.value * numerator) / denominator;
  const width = known.depth === undefined || held < known.depth ? held : known.depth;
  const price = { value, depth: width, source: { pool: id, token }, hops: known.hops + 1 };
  return { token: isFirst ? token1 : token0, price, width, order };
}

/**
 * Median price over all pools with a fixed anchor, weighted by liquidity. Liquidity is the geometric mean of both
 * depths, so an outlying price needs more capital the further it is out.
 */
function* priceNative(
  pools: readonly PoolSnapshot[],
  orders: readonly number[],
  native: number,
  anchors: ReadonlyMap<number, TokenPrice>,
  rules: PriceRules,
): Steps<TokenPrice | undefined> {
  const offers: (Offer & { readonly liquidity: bigint })[] = [];
  for (const [at, order] of orders.entries()) {
    if (at % STEP === STEP - 1) yield;
    const pool = pools[order]!;
    const other = pool.token0 === native ? pool.token1 : pool.token0;
    const known = anchors.get(other);
    const offer = known && offerOf(pool, other, known, rules, order);
    const coins = pool.token0 === native ? pool.quote!.depth0 : pool.quote!.depth1;
    if (offer !== undefined && coins > 0n) offers.push({ ...offer, liquidity: sqrt(offer.width * coins) });
  }
  const sorted = offers.sort((one, other) => compare(one.price.value, other.price.value) || one.order - other.order);
  const depth = sorted.reduce((sum, { width }) => sum + width, 0n);
  const total = sorted.reduce((sum, { liquidity }) => sum + liquidity, 0n);
  let below = 0n;
  for (const { price, liquidity } of sorted) {
    below += liquidity;
    if (2n * below >= total) return { ...price, depth };
  }
  return undefined;
}

function compare(one: bigint, other: bigint): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

/** Max-heap by depth, then by pool order. */
class Offers {
  readonly #heap: Offer[] = [];

  push(offer: Offer): void {
    const heap = this.#heap;
    let at = heap.push(offer) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!isBefore(heap[at]!, heap[parent]!)) return;
      [heap[at], heap[parent]] = [heap[parent]!, heap[at]!];
      at = parent;
    }
  }

  pop(): Offer | undefined {
    const heap = this.#heap;
    const [first] = heap;
    const last = heap.pop();
    if (heap.length === 0 || last === undefined) return first;
    heap[0] = last;
    for (let at = 0; ; ) {
      const [left, right] = [2 * at + 1, 2 * at + 2];
      let next = at;
      if (left < heap.length && isBefore(heap[left]!, heap[next]!)) next = left;
      if (right < heap.length && isBefore(heap[right]!, heap[next]!)) next = right;
      if (next === at) return first;
      [heap[at], heap[next]] = [heap[next]!, heap[at]!];
      at = next;
    }
  }
}

function isBefore(one: Offer, other: Offer): boolean {
  return one.width > other.width || (one.width === other.width && one.order < other.order);
}
