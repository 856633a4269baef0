import type { AddressBytes, Bytes } from "../encoding/bytes.ts";

export type TokenKind = "ERC-20" | "ERC-721" | "ERC-1155";

/** A token transfer from a log. Bytes are views into the log: copy them to keep them. */
export interface TokenTransfer {
  readonly kind: TokenKind;
  readonly token: AddressBytes;
  /** Zero for a mint. */
  readonly from: AddressBytes;
  /** Zero for a burn. */
  readonly to: AddressBytes;
  /** 32 bytes; undefined for ERC-20. */
  readonly tokenId?: Bytes;
  /** 32 bytes, big-endian; 1 for ERC-721. */
  readonly amount: Bytes;
  /** Position of the log in the block, regardless of the node's index. */
  readonly logIndex: number;
  readonly transactionIndex: number;
  /** A Deposit or Withdrawal, which counts only if the contract is a wrapped coin. */
  readonly isWrap?: true;
}

/** Transfers of a block beyond the limit. */
export interface OmittedTransfers {
  readonly transfers: number;
  readonly tokens: number;
  /** The token with most of them. */
  readonly busiest: AddressBytes;
}
