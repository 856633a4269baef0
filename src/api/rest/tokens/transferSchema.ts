import { Type } from "../../openapi/type.ts";
import { as, count, decimal, fields, hash, orNull, record, text, time, words } from "../../openapi/values.ts";
import { AddressSchema } from "../addresses/addressSchema.ts";
import { ItemSchema } from "./itemSchema.ts";
import { TokenSchema, tokenKind } from "./tokenSchema.ts";

const sum = {
  value: decimal("the amount"),
  decimals: orNull(decimal("as in the token")),
};
const item = {
  token_id: decimal("the id"),
  token_instance: orNull(ItemSchema),
};
const Sum = fields("of an ERC-20", sum);
const Item = fields("of an ERC-721", item);
const ItemSum = fields("of an ERC-1155", { ...item, ...sum });

export const TotalSchema = Type.Union([Sum, Item, ItemSum], {
  description:
    "`value` and `decimals` of an ERC-20; `token_id` and `token_instance` of an ERC-721; all four of an ERC-1155. `token_instance` is the [instance](#token-instance) without its token",
});

export const TransferSchema = record("Token transfer", {
  transaction_hash: hash("the transaction"),
  tx_hash: hash("same as `transaction_hash`"),
  from: as(AddressSchema, "the sender's [address](#address); the zero address for a mint"),
  to: as(AddressSchema, "the recipient's [address](#address); the zero address for a burn"),
  total: TotalSchema,
  token: as(TokenSchema, "the [token](#token)"),
  type: words(
    ["token_transfer", "token_minting", "token_burning", "token_spawning"],
    "`token_transfer`; `token_minting` from the zero address, `token_burning` to it, `token_spawning` both",
  ),
  token_type: tokenKind("the standard of this transfer"),
  timestamp: orNull(time("the timestamp of its block")),
  method: orNull(text("the `method` of its [transaction](#transaction), as in a list")),
  block_hash: hash("the hash of its block"),
  block_number: count("its block"),
  log_index: count("the index of its log in the block"),
});
