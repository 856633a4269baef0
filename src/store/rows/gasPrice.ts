import type { Uint } from "../../chain/encoding/uint.ts";
import { PARTS } from "./bodyParts.ts";
import type { ByteReader } from "./encoding.ts";
import { HAS } from "./transactionFlags.ts";
import { skipAccessList, skipAuthorizations } from "./transactionLists.ts";

export type Amount = number | Uint;

/**
 * Effective price, or the transaction's price if the receipt has none. The reader is after the input and advances to
 * the gas used.
 */
export function readPrice(flags: number, overflow: number, reader: ByteReader): Amount {
  const named = flags & HAS.gasPrice ? reader.integer() : undefined;
  const highest = flags & HAS.maxFee ? reader.integer() : undefined;
  if (flags & HAS.maxPriorityFee) reader.skipString();
  if (flags & HAS.chainId) reader.skipString();
  if (flags & HAS.accessList && (overflow & PARTS.accessList) === 0) skipAccessList(reader);
  if (flags & HAS.blobs) {
    reader.skipString();
    if ((overflow & PARTS.blobs) === 0) reader.skip(32 * reader.varint());
  }
  if (flags & HAS.authorizations && (overflow & PARTS.authorizations) === 0) skipAuthorizations(reader);
  const paid = flags & HAS.effectiveGasPrice ? reader.integer() : undefined;
  if (flags & HAS.blobGasUsed) reader.varint();
  if (flags & HAS.blobGasPrice) reader.skipString();
  if ((overflow & PARTS.extra) === 0) {
    if (flags & HAS.extra) reader.skipString();
    if (flags & HAS.receiptExtra) reader.skipString();
  }
  return paid ?? named ?? highest ?? 0;
}
