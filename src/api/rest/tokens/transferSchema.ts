import { Type } from "typebox";
import {
  as,
  count,
  decimal,
  fields,
  hash,
  nullToday,
  orNull,
  record,
  text,
  time,
  words,
} from "../../openapi/values.ts";
import { AddressSchema } from "../addresses/addressSchema.ts";
import { TokenSchema, tokenKind } from "./tokenSchema.ts";

const sum = {
  value: decimal("how much"),
  decimals: orNull(decimal("as in the token")),
};
const item = {
  token_id: decimal("which one"),
  token_instance: nullToday("what an item's own data says is not fetched"),
};
const Sum = fields("of an ERC-20", sum);
const Item = fields("of an ERC-721", item);
const ItemSum = fields("of an ERC-1155", { ...item, ...sum });

export const TransferSchema = record("Token transfer", {
  transaction_hash: hash("the transaction"),
  tx_hash: hash("the same"),
  from: as(AddressSchema, "the [address](#address) that had it; the zero address where it is minted"),
  to: as(AddressSchema, "the [address](#address) that got it; the zero address where it is burnt"),
  total: Type.Union([Sum, Item, ItemSum], {
    description:
      "`value` and `decimals` of an ERC-20; `token_id` and `token_instance` of an ERC-721; all four of an ERC-1155. `token_instance` is [null today](#what-is-null-today)",
  }),
  token: as(TokenSchema, "the [token](#token)"),
  type: words(
    ["token_transfer", "token_minting", "token_burning", "token_spawning"],
    "`token_transfer`; `token_minting` from the zero address, `token_burning` to it, `token_spawning` both",
  ),
  token_type: tokenKind("the standard of this transfer"),
  timestamp: orNull(time("when its block was made")),
  method: orNull(text("what its [transaction](#transaction) called, as in a list")),
  block_hash: hash("the hash of its block"),
  block_number: count("its block"),
  log_index: count("the place of its log in the block"),
});
