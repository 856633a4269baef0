import * as algebra from "../../../chain/exchange/algebra.ts";
import type { LiquidityChange, PricedSwap } from "../../../chain/exchange/exchangeFields.ts";
import type { ExchangeLog } from "../../../chain/exchange/exchangeLog.ts";
import { ceilDivide } from "../../../chain/exchange/tickMath.ts";
import type { AlgebraState } from "./algebraState.ts";
import { noAlgebra } from "./algebraState.ts";
import type { PoolDraft } from "./poolTransitions.ts";
import { move, swapV3 } from "./poolTransitions.ts";

const MILLION = 1_000_000n;
const THOUSAND = 1000n;

/** What a pool of Algebra says of itself, other than swaps and liquidity. */
export function configure(pool: PoolDraft, { event, log }: ExchangeLog): void {
  const own = algebraOf(pool);
  switch (event) {
    case "fee":
    case "feePair":
      [own.fee0, own.fee1] = algebra.readPoolFees(log);
      own.fee = own.fee0;
      own.isOverridden = false;
      break;
    case "communityFee":
    case "communityFeeSmall":
    case "communityFeePair":
      [pool.feeProtocol0, pool.feeProtocol1] = algebra.readCommunityFees(log);
      break;
    case "pluginConfig":
      own.pluginConfig = algebra.readPluginConfig(log);
      break;
    case "tickSpacing":
      own.tickSpacing = Math.max(0, algebra.readTickSpacing(log));
      break;
  }
}

/** The shares of community and plugin leave the pool, which no event tells: the pool holds the rest. */
export function swapAlgebra(pool: PoolDraft, swap: PricedSwap, plugin: algebra.PluginFees): void {
  const own = algebraOf(pool);
  const isToken0 = swap.amount0 > 0n;
  const fee = (plugin.instead === 0 ? (isToken0 ? own.fee0 : own.fee1) : plugin.instead) + plugin.added;
  const [divisor0, divisor1] = [pool.feeProtocol0, pool.feeProtocol1];
  const share0 = shareOf(swap.input0, fee, plugin.added, divisor0);
  const share1 = shareOf(swap.input1, fee, plugin.added, divisor1);
  const [before0, before1] = [pool.volume0, pool.volume1];
  // Divisors of V3 are another unit.
  [pool.feeProtocol0, pool.feeProtocol1] = [0, 0];
  swapV3(pool, { ...swap, protocolFee0: share0, protocolFee1: share1 });
  [pool.feeProtocol0, pool.feeProtocol1] = [divisor0, divisor1];
  move(pool, [share0, share1], -1n);
  own.fee = fee;
  own.isOverridden = plugin.instead !== 0 || plugin.added !== 0;
  own.charged0 += (pool.volume0 - before0) * BigInt(fee);
  own.charged1 += (pool.volume1 - before1) * BigInt(fee);
  own.paid0 += swap.input0 * BigInt(fee);
  own.paid1 += swap.input1 * BigInt(fee);
}

/** The contract rounds each step of a swap. */
function shareOf(input: bigint, fee: number, added: number, community: number): bigint {
  if (fee === 0 || input <= 0n) return 0n;
  const paid = ceilDivide(input * BigInt(fee), MILLION);
  const forPlugin = (paid * BigInt(added)) / BigInt(fee);
  return forPlugin + ((paid - forPlugin) * BigInt(community)) / THOUSAND;
}

/** What the plugin keeps of removed liquidity. */
export function keepForPlugin(pool: PoolDraft, { amount0, amount1 }: LiquidityChange, pluginFee: number): void {
  if (pluginFee === 0 || pluginFee >= Number(MILLION)) return;
  const kept = (amount: bigint) => (amount * BigInt(pluginFee)) / (MILLION - BigInt(pluginFee));
  move(pool, [kept(amount0), kept(amount1)], -1n);
}

function algebraOf(pool: PoolDraft): AlgebraState {
  pool.algebra ??= noAlgebra();
  return pool.algebra;
}
