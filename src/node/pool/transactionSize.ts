import type { SubmittedTransaction } from "./decodeRawTransaction.ts";

/** Bytes of a transaction and its blobs. */
export function sizeOf({ raw, sidecar }: SubmittedTransaction): number {
  return raw.length + (sidecar?.blobs.reduce((sum, { length }) => sum + length, 0) ?? 0);
}
