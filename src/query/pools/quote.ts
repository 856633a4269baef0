import type { Hex } from "../../chain/encoding/hex.ts";
import { isPairType, isSingleton, isSolidly } from "../../chain/exchange/exchangeFields.ts";
import type { Fraction } from "../../exchange/decimal.ts";
import type { QuotedRoute, Route } from "../../exchange/routing.ts";
import { quoteRoutes } from "../../exchange/routing.ts";
import type { ConcentratedPool, SwapPool } from "../../exchange/swap.ts";
import { defined } from "../../std/values.ts";
import type { AlgebraState } from "../../store/stages/exchange/algebraState.ts";
import type { PoolState } from "../../store/stages/exchange/poolState.ts";
import type { QueryContext } from "../context.ts";
import type { ExchangeView } from "../exchange/exchangeView.ts";
import type { ListedPool } from "../exchange/listedPools.ts";
import type { ExchangeFilter } from "../exchange/valuedPools.ts";
import { priceOf } from "../exchange/valuedPools.ts";
import type { IndexedRange } from "../indexedRange.ts";
import type { PoolToken } from "./poolRecords.ts";
import { feeOf, readPoolTokens } from "./poolRecords.ts";
import { findRoutes } from "./quoteRoutes.ts";
import { readSolidlyFees } from "./solidlyFees.ts";

interface QuoteRequest {
  readonly tokenIn: Hex;
  readonly tokenOut: Hex;
  readonly amount: bigint;
  readonly exchanges: ExchangeFilter;
}

export interface QuotedHop {
  readonly pool: ListedPool;
  readonly tokenIn: PoolToken;
  readonly tokenOut: PoolToken;
  readonly amountIn: bigint;
  readonly amountOut: bigint;
  /** Hundredths of a basis point. */
  readonly fee: number;
  /** The pool may charge another fee. */
  readonly isEstimate: boolean;
}

export interface Quote {
  readonly tokenIn: PoolToken;
  readonly tokenOut: PoolToken;
  readonly amountIn: bigint;
  /** 0 without a route. */
  readonly amountOut: bigint;
  /** Output at the prices of all pools before the swap, without fees. */
  readonly atPrice: Fraction;
  readonly routes: readonly (readonly QuotedHop[])[];
  readonly block: number;
}

/** Undefined if no pool has one of the tokens. */
export async function findQuote(context: QueryContext, request: QuoteRequest): Promise<Quote | undefined> {
  const market = await readMarket(context, request);
  if (market === undefined) return undefined;
  const { view, routes, pools, tokens, from, to, tip } = market;
  const { amount } = request;
  const fees = await readSolidlyFees(context, pools.values(), tip);
  const states = new Map<number, SwapPool>();
  for (const pool of pools.values()) {
    const state = swapPoolOf(market, pool, fees.get(pool.id));
    if (state !== undefined) states.set(pool.id, state);
  }
  const usable = routes.filter((route) => route.every((hop) => states.has(hop.pool)));
  const quoted = await quoteRoutes(usable, amount, states);
  const hops = quoted.map((one) => hopsOf(market, one, fees));
  return {
    tokenIn: defined(tokens.get(from)),
    tokenOut: defined(tokens.get(to)),
    amountIn: amount,
    amountOut: hops.reduce((sum, own) => sum + own.at(-1)!.amountOut, 0n),
    atPrice: outputAtPrice(view, quoted, pools),
    routes: hops,
    block: tip.number,
  };
}

type Pools = ReadonlyMap<number, ListedPool>;

/** All that a quote needs of the index. */
interface Market {
  readonly view: ExchangeView;
  readonly routes: readonly Route[];
  readonly pools: Pools;
  readonly borders: ReadonlyMap<number, ConcentratedPool["borders"]>;
  readonly tokens: ReadonlyMap<number, PoolToken>;
  readonly from: number;
  readonly to: number;
  readonly tip: IndexedRange["tip"];
}

function readMarket({ exchange }: QueryContext, request: QuoteRequest): Promise<Market | undefined> {
  const { tokenIn, tokenOut, exchanges } = request;
  return exchange.read(async (session, view) => {
    const [from, to] = [tokenIn, tokenOut].map((hex) => view.listing.tokensByHex.get(hex));
    if (from === undefined || to === undefined || view.range === undefined) return undefined;
    const { routes, pools } = await findRoutes(view, { from: from.number, to: to.number }, exchanges);
    const concentrated = [...pools.values()].filter(({ type }) => !isPairType(type)).map(({ id }) => id);
    const borders = await exchange.ticks.read(session, view, concentrated);
    const passed = [...pools.values()].flatMap(({ token0, token1 }) => [token0, token1]);
    const tokens = await readPoolTokens(session, view, [from, to, ...passed]);
    return { view, routes, pools, borders, tokens, from: from.number, to: to.number, tip: view.range.tip };
  });
}

function swapPoolOf(
  { view: { now }, borders: all }: Market,
  pool: ListedPool,
  reportedFee: number | undefined,
): SwapPool | undefined {
  const { id, type, fee, tickSpacing } = pool;
  const [state, borders] = [now.states.get(id), all.get(id)];
  if (state === undefined) return undefined;
  if (isSolidly(type)) return solidlyPoolOf(pool, state, reportedFee);
  if (type === "v2") return { type, fee, reserve0: state.reserve0, reserve1: state.reserve1 };
  if (type === "algebra") return borders && algebraPoolOf(state, borders);
  if (borders === undefined || tickSpacing === undefined || tickSpacing <= 0) return undefined;
  const { sqrtPrice, tick, liquidity } = state;
  const concentrated = {
    type: isSingleton(type) ? ("v4" as const) : type,
    fee,
    tickSpacing,
    sqrtPrice,
    tick,
    liquidity,
    borders,
  };
  if (!isSingleton(type)) return concentrated;
  const { feeProtocol0, feeProtocol1 } = state;
  return { ...concentrated, fee: withProtocol(fee, feeProtocol0), fee1: withProtocol(fee, feeProtocol1) };
}

/** Undefined before the first swap, if the factory does not say the fee. */
function solidlyPoolOf({ type, curve }: ListedPool, state: PoolState, reportedFee?: number): SwapPool | undefined {
  const fee = reportedFee ?? (state.swaps > 0 ? state.solidly?.fee : undefined);
  if (fee === undefined || !isSolidly(type)) return undefined;
  return { type, fee, reserve0: state.reserve0, reserve1: state.reserve1, curve };
}

/** Undefined before Integral, which computes the fee anew with each swap. */
function algebraPoolOf(state: PoolState, borders: ConcentratedPool["borders"]): SwapPool | undefined {
  const { sqrtPrice, tick, liquidity, algebra } = state;
  if (algebra === undefined || algebra.tickSpacing === 0) return undefined;
  const [fee, fee1] = isFeeOfPlugin(algebra) ? [algebra.fee, algebra.fee] : [algebra.fee0, algebra.fee1];
  return { type: "algebra", fee, fee1, tickSpacing: algebra.tickSpacing, sqrtPrice, tick, liquidity, borders };
}

/** Until the plugin says another one. */
const isFeeOfPlugin = ({ pluginConfig, isOverridden }: AlgebraState) =>
  isOverridden && (pluginConfig & BEFORE_SWAP) !== 0;

/** The plugin is asked for a fee. */
const BEFORE_SWAP = 1;

const MILLION = 1_000_000;

/** A pool of Infinity has a share of the protocol from its beginning, which its first swap in a direction tells. */
function isShareUntold({ type }: ListedPool, state: PoolState | undefined, isToken0: boolean): boolean {
  if (type !== "infinity" || state === undefined || state.singleton?.hasShareLog) return false;
  return (isToken0 ? state.input0 : state.input1) === 0n;
}

/** V4 takes the share of the protocol first. */
const withProtocol = (fee: number, protocol: number): number => protocol + fee - Math.floor((protocol * fee) / MILLION);

function hopsOf(
  { view, pools, tokens }: Market,
  { route, amounts }: QuotedRoute,
  fees: ReadonlyMap<number, number>,
): QuotedHop[] {
  return route.map(({ pool: id, isToken0 }, at) => {
    const pool = defined(pools.get(id));
    const [into, out] = isToken0 ? [pool.token0, pool.token1] : [pool.token1, pool.token0];
    const [tokenIn, tokenOut] = [defined(tokens.get(into.number)), defined(tokens.get(out.number))];
    const config = view.now.states.get(id)?.algebra?.pluginConfig ?? 0;
    const hasPlugin = pool.type === "algebra" && (config & BEFORE_SWAP) !== 0;
    const isFeeUntold = pool.isFeeAssumed || (isSolidly(pool.type) && !fees.has(id));
    const isEstimate = hasPlugin || isFeeUntold || isShareUntold(pool, view.now.states.get(id), isToken0);
    const [amountIn, amountOut] = [amounts[at]!, amounts[at + 1]!];
    return { pool, tokenIn, tokenOut, amountIn, amountOut, fee: fees.get(id) ?? feeOf(view, pool), isEstimate };
  });
}

function outputAtPrice(view: ExchangeView, quoted: readonly QuotedRoute[], pools: Pools): Fraction {
  return quoted.reduce((sum, { route, amounts }) => add(sum, throughPrices(view, route, amounts[0]!, pools)), {
    numerator: 0n,
    denominator: 1n,
  });
}

function throughPrices({ now }: ExchangeView, route: Route, amount: bigint, pools: Pools): Fraction {
  let output: Fraction = { numerator: amount, denominator: 1n };
  for (const { pool, isToken0 } of route) {
    const { numerator, denominator } = defined(priceOf(defined(pools.get(pool)), defined(now.states.get(pool))));
    const [up, down] = isToken0 ? [numerator, denominator] : [denominator, numerator];
    output = { numerator: output.numerator * up, denominator: output.denominator * down };
  }
  return output;
}

const add = (one: Fraction, other: Fraction): Fraction => ({
  numerator: one.numerator * other.denominator + other.numerator * one.denominator,
  denominator: one.denominator * other.denominator,
});
