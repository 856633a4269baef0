import type { SubmittedTransaction } from "./decodeRawTransaction.ts";

export function sizeOf({ raw, sidecar }: SubmittedTransaction): number {
  return raw.length + (sidecar?.blobs.reduce((sum, { length }) => sum + length, 0) ?? 0);
}
