import type { Block } from "../../chain/block/block.ts";
import type { ExtraFields } from "../../chain/encoding/extra.ts";
import { packedOf, unpackBlock } from "../../chain/scan/unpackBlock.ts";

/** A block on its way to another thread: the bytes that it was decoded to, which are transferred, or its objects, which are copied. */
export type PackedBlock = ArrayBuffer | Block;

export const packBlock = (block: Block): PackedBlock => packedOf(block) ?? block;

export const unpack = (packed: PackedBlock): Block =>
  packed instanceof ArrayBuffer ? unpackBlock(packed) : withoutPrototypes(packed);

/** A copy of unknown fields has a prototype. */
function withoutPrototypes(block: Block): Block {
  const { header, transactions, receipts } = block;
  const logs = receipts.flatMap((receipt) => receipt.logs);
  const records: readonly ExtraFields[] = [header, ...transactions, ...receipts, ...logs];
  for (const { extra } of records) if (extra !== undefined) Object.setPrototypeOf(extra, null);
  return block;
}
