import type { Block } from "../../chain/block/block.ts";
import type { Bytes, Hash } from "../../chain/encoding/bytes.ts";

export interface MinedBlock extends Block {
  /** Signed transactions without sidecars. */
  readonly raw: readonly Bytes[];
  readonly uncles: readonly Bytes[];
  /** State after the block, including later changes by development methods. */
  readonly stateRoot: Hash;
  /** EIP-7685 requests; only of a block that was just made. */
  readonly requests?: readonly Bytes[];
}
