import { Type } from "typebox";
import { anything, as, count, hash, hex, orNull, record, time } from "../../openapi/values.ts";
import { AddressSchema } from "../addresses/addressSchema.ts";
import { DecodedLogSchema } from "./decodedSchema.ts";

export const LogSchema = record("Log", {
  transaction_hash: hash("the transaction"),
  tx_hash: hash("the same"),
  address: as(AddressSchema, "the [address](#address) that emitted it"),
  topics: Type.Array(orNull(hash("a topic")), {
    description: "always four: null where it has fewer",
    minItems: 4,
    maxItems: 4,
  }),
  data: orNull(
    hex(
      "its data as hex; null where with it the page has over 4 MiB of data: ask for a smaller page, or the node for a log that has more by itself",
    ),
  ),
  index: count("its place in the block"),
  decoded: orNull(as(DecodedLogSchema, "the [decoded log](decoding.md#decoded-log); null where it does not decode")),
  smart_contract: orNull(
    as(AddressSchema, "the [address](#address) its transaction was sent to; null if that creates a contract"),
  ),
  block_number: count("its block"),
  block_hash: hash("the hash of its block"),
  block_timestamp: orNull(time("when its block was made")),
  extra: Type.Optional(anything("those fields, as the node sent them")),
});
