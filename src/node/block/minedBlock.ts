import type { Block } from "../../chain/block/block.ts";
import type { Bytes, Hash } from "../../chain/encoding/bytes.ts";

/** A block of the chain as it is kept. */
export interface MinedBlock extends Block {
  /** The transactions as they were signed, without sidecars. */
  readonly raw: readonly Bytes[];
  /** The headers of its uncles, each as RLP. */
  readonly uncles: readonly Bytes[];
  /** The state after the block and after what the development methods did to it since. */
  readonly stateRoot: Hash;
  /** What contracts asked of the consensus layer (EIP-7685), of a block that was just made. */
  readonly requests?: readonly Bytes[];
}
