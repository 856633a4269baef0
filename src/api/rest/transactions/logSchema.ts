import { Type } from "../../openapi/type.ts";
import { anything, as, count, hash, hex, orNull, record, time } from "../../openapi/values.ts";
import { AddressSchema } from "../addresses/addressSchema.ts";
import { DecodedLogSchema } from "./decodedSchema.ts";

export const LogSchema = record("Log", {
  transaction_hash: hash("the transaction"),
  tx_hash: hash("same as `transaction_hash`"),
  address: as(AddressSchema, "the [address](#address) that emitted it"),
  topics: Type.Array(orNull(hash("a topic")), {
    description: "always four entries; null for missing topics",
    minItems: 4,
    maxItems: 4,
  }),
  data: orNull(
    hex(
      "its data as hex; null if the page would have over 4 MiB of data with it: request a smaller page, or read a single log of that size from the node",
    ),
  ),
  index: count("its index in the block"),
  decoded: orNull(as(DecodedLogSchema, "the [decoded log](decoding.md#decoded-log); null if it does not decode")),
  smart_contract: orNull(
    as(
      AddressSchema,
      "the [address](#address) that its transaction was sent to; null if the transaction creates a contract",
    ),
  ),
  block_number: count("its block"),
  block_hash: hash("the hash of its block"),
  block_timestamp: orNull(time("the timestamp of its block")),
  extra: Type.Optional(anything("these fields as the node sent them")),
  extra_omitted: Type.Optional(count("how many more the node sent that are [too large](integrity.md#sizes) to keep")),
});
