import type { Bytes } from "../../../../chain/encoding/bytes.ts";
import type { TokenKind } from "../../../../chain/token/tokenTransfer.ts";
import { ByteReader, type ByteWriter, mustHave } from "../../../rows/encoding.ts";
import type { AddressId, ItemId } from "../../../rows/ids.ts";

/** A transfer by ids. */
export interface StoredTransfer {
  readonly kind: TokenKind;
  /** Deposit or withdrawal rather than a Transfer. */
  readonly isWrap: boolean;
  /** Index of the log in the block. */
  readonly logIndex: number;
  readonly transactionIndex: number;
  readonly token: AddressId;
  readonly from: number;
  readonly to: number;
  /** 0 for ERC-20. */
  readonly item: ItemId;
  readonly amount: Bytes;
}

/** In the order of stored values. */
export const KINDS: readonly TokenKind[] = ["ERC-20", "ERC-721", "ERC-1155"];

/** Flag in the kind byte. */
const WRAP = 4;

export function writeTransfer(transfer: StoredTransfer, writer: ByteWriter): void {
  writer.byte(KINDS.indexOf(transfer.kind) | (transfer.isWrap ? WRAP : 0));
  writer.varint(transfer.transactionIndex);
  writer.varint(transfer.logIndex);
  writer.varint(transfer.token);
  writer.varint(transfer.from);
  writer.varint(transfer.to);
  writer.varint(transfer.item);
  writer.word(transfer.amount, 0);
}

export function readTransfer(body: Bytes): StoredTransfer {
  const reader = new ByteReader(body);
  const byte = reader.byte();
  const head = {
    kind: mustHave(KINDS[byte & ~WRAP], "the kind of a transfer"),
    isWrap: (byte & WRAP) !== 0,
    transactionIndex: reader.varint(),
    logIndex: reader.varint(),
    token: reader.varint(),
    from: reader.varint(),
    to: reader.varint(),
    item: reader.varint(),
  };
  const amount = new Uint8Array(32);
  reader.word(amount, 0);
  return { ...head, amount };
}

export function readTransactionIndex(body: Bytes): number {
  return new ByteReader(body, 1).varint();
}

export function readTransferItem(body: Bytes): ItemId {
  const reader = new ByteReader(body, 1);
  for (let field = 0; field < 5; field++) reader.varint();
  return reader.varint();
}
