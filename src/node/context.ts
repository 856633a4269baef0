import type { Keyring } from "./accounts/keyring.ts";
import type { Chain } from "./chain.ts";
import type { Clock } from "./clock.ts";
import type { Filters } from "./logs/filters.ts";
import type { LogRanges } from "./logs/logRange.ts";
import type { Miner, PendingBlock, PendingState } from "./miner.ts";
import type { Pool } from "./pool/pool.ts";
import type { Snapshots } from "./snapshots.ts";

export interface CallLimits {
  readonly gas: bigint;
  readonly milliseconds: number;
}

export interface Context {
  readonly chain: Chain;
  readonly pool: Pool;
  readonly filters: Filters;
  readonly clientVersion: string;
  pending(): Promise<PendingBlock>;
  pendingState(): Promise<PendingState>;
  isAutomine(): boolean;
  readonly logRanges: LogRanges;
  /** Defaults to geth's. */
  readonly callLimits?: CallLimits;
}

export interface DevelopmentContext extends Context {
  readonly miner: Miner;
  readonly clock: Clock;
  readonly keyring: Keyring;
  readonly snapshots: Snapshots;
}
