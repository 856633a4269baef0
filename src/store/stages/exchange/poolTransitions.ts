import type { Draft } from "../../../chain/encoding/wire.ts";
import type { LiquidityChange, PoolSwap, PricedSwap } from "../../../chain/exchange/exchangeFields.ts";
import type { InfinitySwap } from "../../../chain/exchange/infinity.ts";
import type { SingletonChange, SingletonSwap } from "../../../chain/exchange/singleton.ts";
import { amountsOfChange } from "../../../chain/exchange/singleton.ts";
import { ceilDivide } from "../../../chain/exchange/tickMath.ts";
import type { PoolState, SwapPrice } from "./poolState.ts";
import { isAbove, PROTOCOL_UNIT } from "./poolState.ts";
import { noSingleton } from "./singletonState.ts";

export type PoolDraft = Draft<PoolState>;

/** Sets reserves, whatever moved them. */
export function sync(pool: PoolDraft, [reserve0, reserve1]: readonly [bigint, bigint]): void {
  pool.reserve0 = reserve0;
  pool.reserve1 = reserve1;
}

/** Follows the Sync of the same swap. */
export function swapV2(pool: PoolDraft, swap: PoolSwap): void {
  trade(pool, swap, { reserve0: pool.reserve0, reserve1: pool.reserve1 });
}

export function swapV3(pool: PoolDraft, swap: PricedSwap): void {
  pool.sqrtPrice = swap.sqrtPrice;
  pool.tick = swap.tick;
  pool.liquidity = swap.liquidity;
  pool.amount0 += swap.amount0;
  pool.amount1 += swap.amount1;
  pool.protocolFee0 += swap.protocolFee0;
  pool.protocolFee1 += swap.protocolFee1;
  pool.protocolInput0 += protocolShare(swap.input0, pool.feeProtocol0);
  pool.protocolInput1 += protocolShare(swap.input1, pool.feeProtocol1);
  trade(pool, swap, { sqrtPrice: swap.sqrtPrice });
}

function protocolShare(input: bigint, divisor: number): bigint {
  return divisor === 0 || input === 0n ? 0n : (input * PROTOCOL_UNIT) / BigInt(divisor);
}

function trade(pool: PoolDraft, { amount0, amount1, input0, input1 }: PoolSwap, price: SwapPrice): void {
  pool.swaps++;
  pool.volume0 += amount0 < 0n ? -amount0 : amount0;
  pool.volume1 += amount1 < 0n ? -amount1 : amount1;
  pool.input0 += input0;
  pool.input1 += input1;
  if (pool.high === undefined || isAbove(price, pool.high)) pool.high = price;
  if (pool.low === undefined || isAbove(pool.low, price)) pool.low = price;
}

export function mint(pool: PoolDraft, change: LiquidityChange): void {
  pool.amount0 += change.amount0;
  pool.amount1 += change.amount1;
  if (isInRange(pool, change)) pool.liquidity += change.liquidity;
}

/** Tokens stay in the pool until collected. */
export function burn(pool: PoolDraft, change: LiquidityChange): void {
  if (isInRange(pool, change)) pool.liquidity -= change.liquidity;
}

function isInRange(
  { tick }: PoolDraft,
  { tickLower, tickUpper }: Pick<LiquidityChange, "tickLower" | "tickUpper">,
): boolean {
  return tickLower <= tick && tick < tickUpper;
}

const MILLION = 1_000_000n;

/** Fees stay with the manager until they are collected, which no event tells: the pool holds the rest. */
export function swapV4(pool: PoolDraft, swap: SingletonSwap, slot: number): void {
  const [fee, rate] = [swap.fee, BigInt(swap.fee)];
  pool.sqrtPrice = swap.sqrtPrice;
  pool.tick = swap.tick;
  pool.liquidity = swap.liquidity;
  pool.amount0 += swap.amount0 - ceilDivide(swap.input0 * rate, MILLION);
  pool.amount1 += swap.amount1 - ceilDivide(swap.input1 * rate, MILLION);
  pool.protocolFee0 += (swap.input0 * BigInt(pool.feeProtocol0)) / MILLION;
  pool.protocolFee1 += (swap.input1 * BigInt(pool.feeProtocol1)) / MILLION;
  const [before0, before1] = [pool.volume0, pool.volume1];
  trade(pool, swap, { sqrtPrice: swap.sqrtPrice });
  pool.singleton ??= noSingleton();
  pool.singleton.fee = fee;
  pool.singleton.charged0 += (pool.volume0 - before0) * rate;
  pool.singleton.charged1 += (pool.volume1 - before1) * rate;
  pool.singleton.paid0 += swap.input0 * rate;
  pool.singleton.paid1 += swap.input1 * rate;
  pool.singleton.logs.push({ kind: "swap", slot, amount0: 0n, amount1: 0n });
}

/** The swap tells what the protocol takes, which a new pool has without a log. */
export function swapInfinity(pool: PoolDraft, swap: InfinitySwap, slot: number): void {
  if (swap.amount0 > 0n) pool.feeProtocol0 = swap.protocolRate;
  else if (swap.amount1 > 0n) pool.feeProtocol1 = swap.protocolRate;
  swapV4(pool, swap, slot);
}

/** Answers what came to the pool. */
export function changeLiquidity(pool: PoolDraft, change: SingletonChange, slot: number): readonly [bigint, bigint] {
  const [amount0, amount1] = amountsOfChange(change, pool);
  pool.amount0 += amount0;
  pool.amount1 += amount1;
  if (isInRange(pool, change)) pool.liquidity += change.liquidity;
  pool.singleton ??= noSingleton();
  const kind = change.liquidity > 0n ? "mint" : "burn";
  pool.singleton[`${kind}s`]++;
  pool.singleton.logs.push({ kind, slot, amount0, amount1 });
  return [amount0, amount1];
}

/** Transfers other than swaps; `sign` gives the direction. */
export function move(pool: PoolDraft, [amount0, amount1]: readonly [bigint, bigint], sign: 1n | -1n): void {
  pool.amount0 += sign * amount0;
  pool.amount1 += sign * amount1;
}
