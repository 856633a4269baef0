import type { Draft } from "../../../chain/encoding/wire.ts";
import type { LiquidityChange, PoolSwap, PricedSwap } from "../../../chain/exchange/exchangeFields.ts";
import type { PoolState, SwapPrice } from "./poolState.ts";
import { isAbove, PROTOCOL_UNIT } from "./poolState.ts";

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

function isInRange({ tick }: PoolDraft, { tickLower, tickUpper }: LiquidityChange): boolean {
  return tickLower <= tick && tick < tickUpper;
}

/** Transfers other than swaps; `sign` gives the direction. */
export function move(pool: PoolDraft, [amount0, amount1]: readonly [bigint, bigint], sign: 1n | -1n): void {
  pool.amount0 += sign * amount0;
  pool.amount1 += sign * amount1;
}
