import { Type } from "../../openapi/type.ts";
import { always, arrayOf, fields, hash, hex, orNull, record } from "../../openapi/values.ts";

export const BlobSchema = record("Blob", {
  hash: hash("the versioned hash in the transaction"),
  blob_data: orNull(
    hex("its 131,072 bytes as hex; null, like the next two fields, if neither Oriel nor the node has the blob"),
  ),
  kzg_commitment: orNull(hex("the KZG commitment")),
  kzg_proof: orNull(hex("the KZG proof; null if the blob has cell proofs")),
  transaction_hashes: Type.Optional(
    arrayOf(
      fields("a transaction", {
        block_consensus: always(true, "always true"),
        transaction_hash: hash("its hash"),
      }),
      "the indexed transactions that reference it, newest first: objects with `block_consensus`, which is always true, and `transaction_hash`",
    ),
  ),
});
