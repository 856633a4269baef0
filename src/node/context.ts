import type { Keyring } from "./accounts/keyring.ts";
import type { Chain } from "./chain.ts";
import type { Clock } from "./clock.ts";
import type { Filters } from "./logs/filters.ts";
import type { LogRanges } from "./logs/logRange.ts";
import type { Miner, PendingBlock } from "./miner.ts";
import type { Pool } from "./pool/pool.ts";
import type { Snapshots } from "./snapshots.ts";

/** What one call may take of the node. */
export interface CallLimits {
  readonly gas: bigint;
  readonly milliseconds: number;
}

/** What the methods of a node work with. */
export interface Context {
  readonly chain: Chain;
  readonly pool: Pool;
  readonly filters: Filters;
  /** The name and version of this program, as `web3_clientVersion` answers it. */
  readonly clientVersion: string;
  /** The block that would be mined now, with the pending transactions. */
  pending(): Promise<PendingBlock>;
  /** Whether a transaction is mined as it comes, in a block of its own. */
  isAutomine(): boolean;
  readonly logRanges: LogRanges;
  /** Where none are given, those that geth has. */
  readonly callLimits?: CallLimits;
}

/** What the methods work with that send, sign, or change the chain at will. */
export interface DevelopmentContext extends Context {
  readonly miner: Miner;
  readonly clock: Clock;
  readonly keyring: Keyring;
  readonly snapshots: Snapshots;
}
