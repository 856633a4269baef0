import { decodeBlobTransaction } from "../node/blobs/sidecar.ts";

const BLOB_TRANSACTION = "0x03";

/** Rejects blob transactions that are not in the EIP-4844 format, like a node that predates EIP-7594. */
export function checkBlobFormat(raw: unknown): void {
  if (typeof raw !== "string" || !raw.startsWith(BLOB_TRANSACTION)) return;
  const bytes = Buffer.from(raw.slice(2), "hex");
  if (bytes.length * 2 === raw.length - 2) decodeBlobTransaction(bytes, false);
}
