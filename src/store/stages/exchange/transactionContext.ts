import type { PluginFees } from "../../../chain/exchange/algebra.ts";
import type { LiquidityChange } from "../../../chain/exchange/exchangeFields.ts";
import type { ExchangeLog } from "../../../chain/exchange/exchangeLog.ts";
import type { Reserves } from "./amounts.ts";

export interface LoggedChange {
  readonly pool: number;
  readonly change: LiquidityChange;
  /** Of the log's position in the block. */
  readonly slot: number;
}

/** Events of a transaction that later events refer to. */
export interface TransactionContext {
  readonly index: number;
  /** Liquidity added according to pools and not yet claimed by a manager. */
  readonly mints: LoggedChange[];
  /** The same of liquidity removed, and of what was collected. */
  readonly burns: LoggedChange[];
  readonly collects: LoggedChange[];
  /** New tokens that may be positions. */
  readonly minted: ExchangeLog[];
  readonly pools: Set<number>;
  /** Of the next swap of each pool of Algebra. */
  readonly pluginFees: Map<number, PluginFees>;
  /** Of the next removal of liquidity of each. */
  readonly burnFees: Map<number, number>;
  /** Of each pair, before its last Sync. */
  readonly reserves: Map<number, Reserves>;
}

export const transactionContext = (index: number): TransactionContext => ({
  ...{ index, mints: [], burns: [], collects: [], minted: [] },
  ...{ pools: new Set(), pluginFees: new Map(), burnFees: new Map(), reserves: new Map() },
});
