import type { Bytes } from "../../chain/encoding/bytes.ts";
import type { Uint } from "../../chain/encoding/uint.ts";
import { HEAD_SIZE, PARTS, readPackedHead, SELECTOR_SIZE } from "./bodyParts.ts";
import { ByteReader } from "./encoding.ts";
import type { PackedRow } from "./packedRows.ts";
import { slotOf } from "./position.ts";
import { HAS } from "./transactionFlags.ts";
import { skipAccessList, skipAuthorizations } from "./transactionLists.ts";
import { skipData } from "./words.ts";

/** What the records of logs tell of their transaction. */
export interface LogContext {
  readonly transactionHash: Bytes;
  readonly transactionIndex: number;
  readonly gasUsed: number;
  /** What a unit of gas cost. Where a receipt does not say, it is the price that the transaction names. */
  readonly gasPrice: Uint | undefined;
  /** The index in the block of its first log. */
  readonly firstLog: number;
}

/** Reads no more of a row than that. */
export function readLogContext(row: PackedRow): LogContext {
  const { apart } = readPackedHead(row);
  const reader = new ByteReader(row.bytes, row.start + HEAD_SIZE, row.end);
  const skipStrings = (count: number) => {
    for (let left = count; left > 0; left--) reader.skip(reader.varint());
  };
  reader.varint();
  const flags = reader.varint();
  const transactionIndex = reader.varint();
  const transactionHash = reader.raw(32);
  reader.varint();
  if (flags & HAS.to) reader.varint();
  skipStrings(6);
  if (apart & PARTS.input) reader.skip(SELECTOR_SIZE);
  else skipData(reader);
  const named = flags & HAS.gasPrice ? reader.string() : undefined;
  for (const field of [HAS.maxFee, HAS.maxPriorityFee, HAS.chainId]) if (flags & field) skipStrings(1);
  if (flags & HAS.accessList && (apart & PARTS.accessList) === 0) skipAccessList(reader);
  if (flags & HAS.blobs) {
    skipStrings(1);
    if ((apart & PARTS.blobs) === 0) reader.skip(32 * reader.varint());
  }
  if (flags & HAS.authorizations && (apart & PARTS.authorizations) === 0) skipAuthorizations(reader);
  const paid = flags & HAS.effectiveGasPrice ? reader.string() : undefined;
  if (flags & HAS.blobGasUsed) reader.varint();
  if (flags & HAS.blobGasPrice) skipStrings(1);
  const extras = apart & PARTS.extra ? 0 : Number((flags & HAS.extra) !== 0) + Number((flags & HAS.receiptExtra) !== 0);
  skipStrings(extras);
  const gasUsed = reader.varint();
  reader.varint();
  if (flags & HAS.root) reader.skip(32);
  if (flags & HAS.contract) reader.varint();
  const firstLog = flags & HAS.firstLog ? reader.varint() : slotOf(row.key) - transactionIndex;
  return { transactionHash, transactionIndex, gasUsed, gasPrice: paid ?? named, firstLog };
}
