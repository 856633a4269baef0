import type { AddressBytes, Bytes } from "../encoding/bytes.ts";

export type TokenKind = "ERC-20" | "ERC-721" | "ERC-1155";

/** Tokens that changed hands, as a log tells it. The bytes are views into the log: copy what outlives the block. */
export interface TokenTransfer {
  readonly kind: TokenKind;
  /** The contract that emitted the log. */
  readonly token: AddressBytes;
  /** The zero address where tokens are minted. */
  readonly from: AddressBytes;
  /** The zero address where tokens are burnt. */
  readonly to: AddressBytes;
  /** 32 bytes, where the kind has ids. */
  readonly tokenId?: Bytes;
  /** 32 bytes, big-endian; 1 for an ERC-721. */
  readonly amount: Bytes;
  /** The place of the log in the block, whatever the node called it. */
  readonly logIndex: number;
  readonly transactionIndex: number;
  /** A Deposit or Withdrawal: it moves tokens only where its contract is a wrapped coin, which one log does not tell. */
  readonly isWrap?: true;
}

/** Transfers of a block that are left out because there are too many. */
export interface OmittedTransfers {
  readonly transfers: number;
  readonly tokens: number;
  /** The token that has most of them. */
  readonly busiest: AddressBytes;
}
