import type { Log } from "../block/receipt.ts";
import type { AddressBytes } from "../encoding/bytes.ts";
import type { CreatedPool, LiquidityChange, ManagedChange, PricedSwap } from "./exchangeFields.ts";
import { addressAt, int24At, int32At, isAddress, readBurnV3, readSwapV3, uintAt } from "./exchangeFields.ts";
import type { ExchangeEvent } from "./exchangeLog.ts";

/** Of a swap, in hundredths of a basis point. */
export interface PluginFees {
  /** Instead of the pool's own fee, unless 0. */
  readonly instead: number;
  /** Added to either, for the plugin. */
  readonly added: number;
}

export const NO_PLUGIN_FEES: PluginFees = { instead: 0, added: 0 };

/** Hooks of a pool that anyone could have chosen are told by its deployer. */
export function readAlgebraPool({ address, topics, data }: Log): CreatedPool | undefined {
  if (!isAddress(topics, 1) || !isAddress(topics, 2) || !isAddress(data, 0)) return undefined;
  return created(address, addressAt(data, 0), [addressAt(topics, 1), addressAt(topics, 2)], undefined);
}

export function readCustomPool({ address, topics, data }: Log): CreatedPool | undefined {
  if (![1, 2, 3].every((at) => isAddress(topics, at)) || !isAddress(data, 0)) return undefined;
  return created(address, addressAt(data, 0), [addressAt(topics, 2), addressAt(topics, 3)], addressAt(topics, 1));
}

function created(
  factory: AddressBytes,
  pool: AddressBytes,
  [token0, token1]: readonly [AddressBytes, AddressBytes],
  hooks: AddressBytes | undefined,
): CreatedPool {
  return { type: "algebra", factory, pool, token0, token1, fee: undefined, tickSpacing: undefined, hooks };
}

/** The form of Integral 1.2, which says what the plugin wants. */
export function readSwapAlgebra(log: Log): PricedSwap & { readonly plugin: PluginFees } {
  const plugin = { instead: uint24At(log, 5), added: uint24At(log, 6) };
  return { ...readSwapV3(log), protocolFee0: 0n, protocolFee1: 0n, plugin };
}

/** Precedes the swap that it is about, where that does not say it. */
export const readSwapFee = (log: Log): PluginFees => ({ instead: uint24At(log, 0), added: uint24At(log, 1) });

/** The form with the share that the plugin keeps of what is removed, which the amounts are without. */
export function readBurnAlgebra(log: Log): LiquidityChange & { readonly pluginFee: number } {
  return { ...readBurnV3(log), pluginFee: uint24At(log, 3) };
}

/** Precedes the removal that it is about, where that does not say it. */
export const readBurnFee = (log: Log): number => uint24At(log, 0);

/** A pool may have a fee for each direction. */
export function readPoolFees({ data }: Log): readonly [token0: number, token1: number] {
  const fee0 = int32At(data, 0) & 0xffff;
  return [fee0, data.length > 32 ? int32At(data, 1) & 0xffff : fee0];
}

/** Of each fee, in thousandths. */
export function readCommunityFees({ data }: Log): readonly [token0: number, token1: number] {
  const share = int32At(data, 0) & 0xffff;
  return [share, data.length > 32 ? int32At(data, 1) & 0xffff : share];
}

export const readPluginConfig = ({ data }: Log): number => data[31]!;

export const readTickSpacing = ({ data }: Log): number => int24At(data, 0);

/** The pool may have taken less than was wanted. */
export function readIncreaseAlgebra({ topics, data }: Log): ManagedChange {
  return {
    tokenId: topics.subarray(32, 64),
    liquidity: uintAt(data, 1),
    amount0: uintAt(data, 2),
    amount1: uintAt(data, 3),
  };
}

const uint24At = ({ data }: Log, word: number): number => int32At(data, word) & 0xffffff;

const ALGEBRA_EVENTS: ReadonlySet<ExchangeEvent> = new Set([
  ...(["swapAlgebra", "swapFee", "burnAlgebra", "burnFee", "fee", "feePair"] as const),
  ...(["communityFee", "communityFeeSmall", "communityFeePair", "pluginConfig", "tickSpacing"] as const),
]);

/** Logged by pools of Algebra only. */
export const isAlgebraEvent = (event: ExchangeEvent): boolean => ALGEBRA_EVENTS.has(event);
