import type { Block } from "../block/block.ts";

/** Roots that the decoder of a block already verified; false says nothing. */
export interface Verified {
  readonly blockHash: boolean;
  /** The root and the hash of each. */
  readonly transactions: boolean;
  readonly receipts: boolean;
  readonly withdrawals: boolean;
  /** RLP length of the transactions within a block. */
  readonly transactionBytes: number;
}

export const NOTHING_VERIFIED: Verified = {
  blockHash: false,
  transactions: false,
  receipts: false,
  withdrawals: false,
  transactionBytes: 0,
};

/** By identity: a changed copy of a block has nothing verified. */
const verified = new WeakMap<Block, Verified>();

export function verifiedOf(block: Block): Verified | undefined {
  return verified.get(block);
}

/** Bits from 1 on, in the order of the fields. */
export function noteVerified(block: Block, bits: number, transactionBytes: number): void {
  const has = (bit: number) => (bits & bit) !== 0;
  verified.set(block, {
    blockHash: has(1),
    transactions: has(2),
    receipts: has(4),
    withdrawals: has(8),
    transactionBytes,
  });
}
