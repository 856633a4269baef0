import type { Bytes } from "../chain/encoding/bytes.ts";
import { quantity, toHex } from "../chain/encoding/hex.ts";
import type { KeptBlob } from "../store/blobStore.ts";
import type { BlobTransaction } from "../store/read/blobTransactions.ts";

/** Bytes of a blob in truncated responses. */
const SHOWN = 32;

/** ASCII text, or bytes to be written as hex. */
type Segment = string | Bytes;

/** Serializes sidecars in the form nodes use, without building whole blobs as strings. */
export function writeSidecars(
  transactions: readonly BlobTransaction[],
  blobs: readonly KeptBlob[],
  { isFull, isList }: { readonly isFull: boolean; readonly isList: boolean },
): Buffer {
  let first = 0;
  const segments: Segment[] = isList ? ["["] : [];
  for (const [at, transaction] of transactions.entries()) {
    if (at > 0) segments.push(",");
    const next = first + transaction.names.length;
    segments.push(...recordOf(transaction, blobs.slice(first, next), isFull));
    first = next;
  }
  if (isList) segments.push("]");
  return writeSegments(segments);
}

function recordOf({ header, hash, index }: BlobTransaction, blobs: readonly KeptBlob[], isFull: boolean): Segment[] {
  const block = `"blockHash":"${toHex(header.hash)}","blockNumber":"${quantity(header.number)}"`;
  return [
    '{"blobSidecar":{"blobs":',
    ...listOf(blobs.map(({ data }) => (isFull ? data : data.subarray(0, SHOWN)))),
    ',"commitments":',
    ...listOf(blobs.map(({ commitment }) => commitment)),
    ',"proofs":',
    ...listOf(blobs.map(({ proof }) => proof!)),
    `},${block},"txHash":"${toHex(hash)}","txIndex":"${quantity(index)}"}`,
  ];
}

function listOf(values: readonly Bytes[]): Segment[] {
  return ["[", ...values.flatMap((value, at) => [at === 0 ? '"0x' : ',"0x', value, '"']), "]"];
}

function writeSegments(segments: readonly Segment[]): Buffer {
  const length = segments.reduce((sum, one) => sum + (typeof one === "string" ? one.length : 2 * one.length), 0);
  const written = Buffer.allocUnsafeSlow(length);
  let at = 0;
  for (const one of segments) {
    const text = typeof one === "string" ? one : Buffer.from(one.buffer, one.byteOffset, one.length).toString("hex");
    at += written.write(text, at, "latin1");
  }
  return written;
}
