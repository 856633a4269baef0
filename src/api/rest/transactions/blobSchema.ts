import { Type } from "typebox";
import { always, arrayOf, fields, hash, hex, orNull, record } from "../../openapi/values.ts";

export const BlobSchema = record("Blob", {
  hash: hash("the versioned hash the transaction names it by"),
  blob_data: orNull(
    hex("its 131,072 bytes as hex; null where it was not kept and the node does not have it, as the next two"),
  ),
  kzg_commitment: orNull(hex("its commitment")),
  kzg_proof: orNull(hex("the proof of the commitment; null where its cells were proven one by one")),
  transaction_hashes: Type.Optional(
    arrayOf(
      fields("a transaction", {
        block_consensus: always(true, "always true"),
        transaction_hash: hash("its hash"),
      }),
      "the indexed transactions that name it, newest first: objects with `block_consensus`, which is always true, and `transaction_hash`",
    ),
  ),
});
