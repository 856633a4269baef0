import type { PoolSwap } from "../../../chain/exchange/exchangeFields.ts";
import { ceilDivide } from "../../../chain/exchange/tickMath.ts";
import { max } from "../../../std/numbers.ts";
import type { Reserves } from "./amounts.ts";
import type { PoolDraft } from "./poolTransitions.ts";
import { swapV2 } from "./poolTransitions.ts";
import { noSolidly } from "./solidlyState.ts";

const MILLION = 1_000_000n;
const BASIS_POINT = 100n;

/** Follows the Sync of the same swap. The fee has left the pool by then: it is what reserves lack. */
export function swapSolidly(pool: PoolDraft, swap: PoolSwap, before: Reserves | undefined): void {
  pool.solidly ??= noSolidly();
  const own = pool.solidly;
  if (before !== undefined) own.fee = feeOf(swap, before, [pool.reserve0, pool.reserve1], own.fee);
  const [before0, before1] = [pool.volume0, pool.volume1];
  swapV2(pool, swap);
  own.charged0 += (pool.volume0 - before0) * BigInt(own.fee);
  own.charged1 += (pool.volume1 - before1) * BigInt(own.fee);
}

/**
 * The fee that explains what was paid: the known one if it does, since small swaps fit many; else the lowest in whole basis
 * points, which factories count in, or in hundredths of them. A hostile pool may be explained by none.
 */
function feeOf(swap: PoolSwap, before: Reserves, after: Reserves, known: number): number {
  const inputs = [swap.input0, swap.input1];
  const paid = [before[0] + swap.amount0 - after[0], before[1] + swap.amount1 - after[1]];
  const lowest = max(0n, ...inputs.map((input, at) => lowestFee(paid[at]!, input)));
  const whole = ceilDivide(lowest, BASIS_POINT) * BASIS_POINT;
  const explains = (fee: bigint) => fee < MILLION && inputs.every((input, at) => (input * fee) / MILLION === paid[at]!);
  const found = [BigInt(known), whole, lowest].find(explains);
  return found === undefined ? known : Number(found);
}

const lowestFee = (paid: bigint, input: bigint): bigint =>
  input <= 0n || paid <= 0n ? 0n : ceilDivide(paid * MILLION, input);
