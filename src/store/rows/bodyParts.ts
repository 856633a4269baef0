import type { Bytes } from "../../chain/encoding/bytes.ts";
import { ByteReader, corrupt } from "./encoding.ts";
import type { PackedRow } from "./packedRows.ts";
import { HAS } from "./transactionFlags.ts";
import { skipAccessList, skipAuthorizations } from "./transactionLists.ts";
import { skipData } from "./words.ts";

export const PARTS = { input: 1, accessList: 2, blobs: 4, authorizations: 8, extra: 16, logs: 32 } as const;

/** Part numbers are bit numbers. */
export const INPUT_PART = 0;
export const LOGS_PART = 5;

/** Bits of parts stored in overflow rows. */
export type OverflowParts = number;

export const NO_OVERFLOW: OverflowParts = 0;

/** A body starts with the offset of its logs; a divided row also has its overflow bits in the upper half. */
export const HEAD_SIZE = 4;
const OVERFLOW_SHIFT = 16;
const SHORT = 0xffff;

export const packHead = (logsAt: number, overflow: OverflowParts): number => (overflow << OVERFLOW_SHIFT) | logsAt;

export function readLogsAt(body: Bytes): number {
  if (!(body instanceof Uint8Array)) throw corrupt("a stored transaction is no bytes");
  return readHead(body, 0, body.length);
}

function readHead(bytes: Bytes, start: number, end: number): number {
  if (end - start < HEAD_SIZE) throw corrupt("a stored transaction is too short");
  return ((bytes[start]! << 24) | (bytes[start + 1]! << 16) | (bytes[start + 2]! << 8) | bytes[start + 3]!) >>> 0;
}

export function readRowHead(row: Bytes): { readonly logsAt: number; readonly overflow: OverflowParts } {
  const head = readLogsAt(row);
  return { logsAt: head & SHORT, overflow: head >>> OVERFLOW_SHIFT };
}

export function readPackedHead({ bytes, start, end }: PackedRow): {
  readonly logsAt: number;
  readonly overflow: OverflowParts;
} {
  const head = readHead(bytes, start, end);
  return { logsAt: head & SHORT, overflow: head >>> OVERFLOW_SHIFT };
}

/** Bytes of an overflowing input kept in the row. */
export const SELECTOR_SIZE = 4;

interface Range {
  readonly from: number;
  readonly to: number;
}

/** Overflow parts leave nothing in a row but the input's selector. */
export function findParts(body: Bytes, overflow: OverflowParts): Range[] {
  const reader = new ByteReader(body, HEAD_SIZE);
  const ranges: Range[] = [];
  const part = (has: boolean, skip: () => void) => {
    const from = reader.at;
    if (has && (overflow & (1 << ranges.length)) === 0) skip();
    ranges.push({ from, to: reader.at });
  };
  const strings = (...has: number[]) => {
    for (const bit of has) if (flags & bit) reader.skipString();
  };
  reader.varint();
  const flags = reader.varint();
  reader.varint();
  reader.skip(32);
  reader.varint();
  if (flags & HAS.to) reader.varint();
  for (let value = 0; value < 6; value++) reader.skipString();
  if (overflow & PARTS.input) ranges.push({ from: reader.at, to: reader.at + reader.raw(SELECTOR_SIZE).length });
  else part(true, () => skipData(reader));
  strings(HAS.gasPrice, HAS.maxFee, HAS.maxPriorityFee, HAS.chainId);
  part((flags & HAS.accessList) !== 0, () => skipAccessList(reader));
  strings(HAS.blobs);
  part((flags & HAS.blobs) !== 0, () => reader.skip(32 * reader.varint()));
  part((flags & HAS.authorizations) !== 0, () => skipAuthorizations(reader));
  strings(HAS.effectiveGasPrice);
  if (flags & HAS.blobGasUsed) reader.varint();
  strings(HAS.blobGasPrice);
  part((flags & (HAS.extra | HAS.receiptExtra)) !== 0, () => strings(HAS.extra, HAS.receiptExtra));
  return ranges;
}
