import { toHex } from "../../../chain/encoding/hex.ts";
import type { FoundBlob, NamedBlob } from "../../../query/transactions/blobs.ts";
import type { Shape } from "../../openapi/values.ts";
import type { BlobSchema } from "./blobSchema.ts";

export function presentBlob({ versionedHash, blob }: NamedBlob): Shape<typeof BlobSchema> {
  return {
    hash: toHex(versionedHash),
    blob_data: blob === undefined ? null : toHex(blob.data),
    kzg_commitment: blob === undefined ? null : toHex(blob.commitment),
    kzg_proof: blob?.proof ? toHex(blob.proof) : null,
  };
}

export function presentFoundBlob(found: FoundBlob): Shape<typeof BlobSchema> {
  const transaction_hashes = found.transactionHashes.map((hash) => ({
    block_consensus: true as const,
    transaction_hash: toHex(hash),
  }));
  return { ...presentBlob(found), transaction_hashes };
}
