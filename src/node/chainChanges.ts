import type { Bytes } from "../chain/encoding/bytes.ts";
import type { StoredSidecar } from "./blobs/encodeSidecar.ts";
import type { Candidates } from "./block/assemble.ts";
import type { MinedBlock } from "./block/minedBlock.ts";
import type { BlockPlan } from "./block/plan.ts";
import type { Machine } from "./machine/machine.ts";

/** Builds the next block. Called under the chain's lock. */
export interface NextBlock {
  /** Undefined if no block is to be made. */
  plan(): BlockPlan | undefined;
  candidates(plan: BlockPlan): Candidates;
  sidecars(block: MinedBlock): ReadonlyMap<number, StoredSidecar>;
  kept(block: MinedBlock): Promise<void>;
  failed?(error: unknown): void;
}

export interface Rewinding {
  /** Defaults to the state after the block. */
  readonly stateRoot?: Bytes;
  readonly write?: () => void;
  /** Runs before the lock is released. */
  readonly done?: () => Promise<void>;
}

export interface LoadedChain {
  /** From genesis to the head. */
  readonly blocks: readonly MinedBlock[];
  /** Fills an empty state with the state after a block; undefined if the dump does not have it. */
  stateOf(block: MinedBlock): ((machine: Machine) => Promise<void>) | undefined;
}
