import { MAX_UINT256 } from "../chain/encoding/uint.ts";
import {
  amount0Between,
  amount1Between,
  ceilDivide,
  MAX_SQRT_PRICE,
  MAX_TICK,
  MIN_SQRT_PRICE,
  MIN_TICK,
  sqrtPriceAfter,
  sqrtPriceAt,
  tickAt,
} from "../chain/exchange/tickMath.ts";
import type { SolidlyPool } from "./solidlySwap.ts";
import { isSolidlyPool, swapSolidly } from "./solidlySwap.ts";
import { MAX_NEWTON_STEPS } from "./stableCurve.ts";
import type { TickMap } from "./ticks.ts";
import { nextBorder, nextTick } from "./ticks.ts";

/** State of a pool that a swap depends on. The fee is in hundredths of a basis point. */
export type SwapPool = ReservePool | SolidlyPool | ConcentratedPool;

interface ReservePool {
  readonly type: "v2";
  readonly fee: number;
  readonly reserve0: bigint;
  readonly reserve1: bigint;
}

export interface ConcentratedPool {
  readonly type: "v3" | "v4" | "algebra";
  /** Of an input of token0; that of token1 is the same unless it is given. */
  readonly fee: number;
  readonly fee1?: number;
  readonly tickSpacing: number;
  readonly sqrtPrice: bigint;
  readonly tick: number;
  /** In range. */
  readonly liquidity: bigint;
  readonly borders: TickMap;
}

interface Swapped {
  /** 0 if the pool cannot take all of the input; then it is unchanged. */
  readonly amountOut: bigint;
  readonly after: SwapPool;
  /** Steps of the computation. */
  readonly steps: number;
}

/** Steps of one swap. A transaction that crosses as many ticks does not fit in a block. */
export const MAX_STEPS = 1000;

const FEE_UNIT = 1_000_000;
const MILLION = BigInt(FEE_UNIT);

const refused = (after: SwapPool, steps: number): Swapped => ({ amountOut: 0n, after, steps });

/** As the contracts compute it. */
export function swapExactInput(pool: SwapPool, amountIn: bigint, isToken0: boolean): Swapped {
  if (amountIn <= 0n) return refused(pool, 1);
  if (pool.type === "v2") return swapReserves(pool, amountIn, isToken0);
  if (isSolidlyPool(pool)) return swapSolidly(pool, amountIn, isToken0) ?? refused(pool, MAX_NEWTON_STEPS);
  return swapLiquidity(pool, amountIn, isToken0);
}

const MAX_RESERVE = (1n << 112n) - 1n;

/** V4 has signed amounts of 128 bits, and pools of Algebra reserves without a sign. */
const MAX_AMOUNT = { v3: MAX_UINT256, v4: (1n << 127n) - 1n, algebra: (1n << 128n) - 1n } as const;

function swapReserves(pool: ReservePool, amountIn: bigint, isToken0: boolean): Swapped {
  const { reserve0, reserve1, fee } = pool;
  const [reserveIn, reserveOut] = isToken0 ? [reserve0, reserve1] : [reserve1, reserve0];
  if (reserveIn <= 0n || reserveOut <= 0n || reserveIn + amountIn > MAX_RESERVE) return refused(pool, 1);
  if (fee >= FEE_UNIT) return refused(pool, 1);
  const taken = amountIn * (MILLION - BigInt(fee));
  const amountOut = (taken * reserveOut) / (reserveIn * MILLION + taken);
  if (amountOut === 0n) return refused(pool, 1);
  const [nowIn, nowOut] = [reserveIn + amountIn, reserveOut - amountOut];
  const after = isToken0 ? { reserve0: nowIn, reserve1: nowOut } : { reserve0: nowOut, reserve1: nowIn };
  return { amountOut, after: { ...pool, ...after }, steps: 1 };
}

function swapLiquidity(pool: ConcentratedPool, amountIn: bigint, isToken0: boolean): Swapped {
  const { type } = pool;
  const fee = isToken0 ? pool.fee : (pool.fee1 ?? pool.fee);
  if (fee >= FEE_UNIT || amountIn > MAX_AMOUNT[type]) return refused(pool, 1);
  const limit = isToken0 ? MIN_SQRT_PRICE + 1n : MAX_SQRT_PRICE - 1n;
  let { sqrtPrice, tick, liquidity } = pool;
  let [left, amountOut, steps] = [amountIn, 0n, 0];
  while (left > 0n) {
    if (sqrtPrice === limit || steps === MAX_STEPS || sqrtPrice <= 0n) return refused(pool, steps);
    steps++;
    const next = stopOf(pool, tick, isToken0);
    const bounded = Math.max(MIN_TICK, Math.min(MAX_TICK, next.tick));
    const border = sqrtPriceAt(bounded);
    const target = (isToken0 ? border < limit : border > limit) ? limit : border;
    // A pool that says that its price is not that of its tick moves nowhere.
    if (isToken0 ? target > sqrtPrice : target < sqrtPrice) return refused(pool, steps);
    const step = swapStep({ type, sqrtPrice, liquidity, fee }, target, left, isToken0);
    left -= step.taken;
    amountOut += step.amountOut;
    const [before, isMoved] = [tick, step.sqrtPrice !== sqrtPrice];
    sqrtPrice = step.sqrtPrice;
    if (sqrtPrice === border) {
      liquidity += next.net === undefined ? 0n : isToken0 ? -next.net : next.net;
      tick = isToken0 ? bounded - 1 : bounded;
    } else if (isMoved) {
      tick = isToken0 ? tickAt(sqrtPrice, bounded, before) : tickAt(sqrtPrice, before, bounded);
    }
    if (liquidity < 0n) return refused(pool, steps);
  }
  if (amountOut === 0n || amountOut > MAX_AMOUNT[type]) return refused(pool, steps);
  return { amountOut, after: { ...pool, sqrtPrice, tick, liquidity }, steps };
}

/** Where the computation stops first. Pools of Algebra link the borders of their positions. */
function stopOf({ type, borders, tickSpacing }: ConcentratedPool, tick: number, isDown: boolean) {
  if (type !== "algebra") return nextTick(borders, tick, tickSpacing, isDown);
  return nextBorder(borders, tick, isDown) ?? { tick: isDown ? MIN_TICK : MAX_TICK, net: undefined };
}

interface Step {
  readonly sqrtPrice: bigint;
  /** With the fee. */
  readonly taken: bigint;
  readonly amountOut: bigint;
}

/** Towards a price, within one range of constant liquidity. */
function swapStep(
  { type, sqrtPrice, liquidity, fee }: Pick<ConcentratedPool, "type" | "sqrtPrice" | "liquidity" | "fee">,
  target: bigint,
  left: bigint,
  isToken0: boolean,
): Step {
  const rate = BigInt(fee);
  const inputTo = (price: bigint) =>
    isToken0 ? amount0Between(price, sqrtPrice, liquidity, true) : amount1Between(sqrtPrice, price, liquidity, true);
  const outputTo = (price: bigint) =>
    isToken0 ? amount1Between(price, sqrtPrice, liquidity, false) : amount0Between(sqrtPrice, price, liquidity, false);
  const afterFee = (left * (MILLION - rate)) / MILLION;
  const whole = inputTo(target);
  if (afterFee >= whole) {
    const taken = whole + ceilDivide(whole * rate, MILLION - rate);
    return { sqrtPrice: target, taken, amountOut: outputTo(target) };
  }
  const reached = sqrtPriceAfter(sqrtPrice, liquidity, afterFee, isToken0);
  // Only V3 returns the rest where rounding reaches the target.
  const taken = reached === target && type === "v3" ? whole + ceilDivide(whole * rate, MILLION - rate) : left;
  return { sqrtPrice: reached, taken, amountOut: outputTo(reached) };
}
