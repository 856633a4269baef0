import type { Bytes } from "../chain/encoding/bytes.ts";
import type { Keyring } from "./accounts/keyring.ts";
import type { MinedBlock } from "./block/minedBlock.ts";
import type { SignedTransaction } from "./block/toTransaction.ts";
import type { Chain } from "./chain.ts";
import type { Clock } from "./clock.ts";
import type { Miner } from "./miner.ts";
import type { Pool } from "./pool/pool.ts";
import type { Filters } from "./rpc/logs/filters.ts";
import type { Snapshots } from "./snapshots.ts";
import type { Machine } from "./state/machine.ts";

/** What waits to be mined, by sender and nonce. */
export interface PoolContent {
  readonly pending: ReadonlyMap<string, readonly SignedTransaction[]>;
  readonly queued: ReadonlyMap<string, readonly SignedTransaction[]>;
}

/** The transactions that wait to be mined, as the methods see them. */
export interface WaitingTransactions {
  get(hash: Bytes): SignedTransaction | undefined;
  /** What can be mined now, and what waits for an earlier nonce; the keys are addresses in lower-case hex. */
  content(): PoolContent;
  /** The nonce that the next transaction of an account should have. */
  nextNonce(address: Bytes): Promise<bigint>;
}

/** What is to come: the block that would be mined now. */
export interface PendingBlock {
  readonly block: MinedBlock;
  /** Stands at the state after it; whoever asked may change it. */
  readonly machine: Machine;
}

/** What one call may take of the node. */
export interface CallLimits {
  readonly gas: bigint;
  readonly milliseconds: number;
}

/** What the methods of a node work with. */
export interface Context {
  readonly chain: Chain;
  readonly pool: WaitingTransactions;
  readonly filters: Filters;
  /** The name and version of this program, as `web3_clientVersion` answers it. */
  readonly clientVersion: string;
  /** The block that would be mined now, with what waits. */
  pending(): Promise<PendingBlock>;
  /** Where none are given, those that geth has. */
  readonly callLimits?: CallLimits;
}

/** What the methods work with that send, sign, or change the chain at will. */
export interface DevelopmentContext extends Context {
  readonly pool: Pool;
  readonly miner: Miner;
  readonly clock: Clock;
  readonly keyring: Keyring;
  readonly snapshots: Snapshots;
}
