import { decodeBlobTransaction } from "../node/blobs/sidecar.ts";

const BLOB_TRANSACTION = "0x03";

/** Refuses a blob transaction that is not in the original format (EIP-4844), as a node that knows no other does. */
export function checkBlobFormat(raw: unknown): void {
  if (typeof raw !== "string" || !raw.startsWith(BLOB_TRANSACTION)) return;
  const bytes = Buffer.from(raw.slice(2), "hex");
  if (bytes.length * 2 === raw.length - 2) decodeBlobTransaction(bytes, false);
}
