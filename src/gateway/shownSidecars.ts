import { decodeShownSidecar } from "../chain/block/sidecar.ts";
import { toHex } from "../chain/encoding/hex.ts";
import { WireReader } from "../chain/encoding/wire.ts";
import { isObject } from "../std/values.ts";
import type { BlobTransaction } from "../store/read/blobTransactions.ts";

/** Whether a node's result has all blobs named by the transactions. */
export function isWhole(text: string, transactions: readonly BlobTransaction[], isFull: boolean): boolean {
  const answered: unknown = JSON.parse(text);
  const records = Array.isArray(answered) ? (answered as unknown[]) : [answered];
  return records.length === transactions.length && transactions.every((tx, at) => fits(tx, records[at], isFull));
}

function fits({ hash, names }: BlobTransaction, record: unknown, isFull: boolean): boolean {
  if (!isObject(record) || record.txHash !== toHex(hash) || !isObject(record.blobSidecar)) return false;
  const { blobs, commitments, proofs } = record.blobSidecar;
  if (!Array.isArray(blobs) || blobs.length !== names.length) return false;
  // Truncated blobs can only be checked by commitment.
  const whole = isFull ? blobs : blobs.map(() => EMPTY_BLOB);
  const shown = decodeShownSidecar({ blobs: whole, commitments, proofs }, names, new WireReader());
  return shown?.sidecar !== undefined;
}

const EMPTY_BLOB = `0x${"00".repeat(131_072)}`;
