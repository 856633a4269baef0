import {
  anything,
  as,
  count,
  decimal,
  fields,
  hash,
  hex,
  orNull,
  record,
  text,
  time,
  words,
} from "../../openapi/values.ts";
import { AddressSchema } from "../addresses/addressSchema.ts";
import { TokenSchema } from "../tokens/tokenSchema.ts";
import { TotalSchema } from "../tokens/transferSchema.ts";

export const AdvancedItemSchema = record("Advanced filter item", {
  hash: hash("the transaction"),
  type: words(
    ["coin_transfer", "contract_interaction", "contract_creation", "ERC-20", "ERC-721", "ERC-1155"],
    "the standard of a token transfer; otherwise `contract_creation`, `contract_interaction` if it calls or pays a contract, or `coin_transfer`",
  ),
  status: orNull(words(["ok", "error"], "whether the transaction succeeded; null if the receipt does not tell")),
  method: orNull(text("the `method` of the [transaction](#transaction), as in a list; null for an internal one")),
  from: as(AddressSchema, "the sender's [address](#address)"),
  to: orNull(as(AddressSchema, "the recipient's [address](#address); null for a creation")),
  created_contract: orNull(as(AddressSchema, "the [address](#address) of the contract it created; null otherwise")),
  value: orNull(decimal("the amount in wei; null for a token transfer")),
  total: orNull(as(TotalSchema, "as in a [token transfer](#token-transfer); null for the others")),
  token: orNull(as(TokenSchema, "the [token](#token) of a token transfer; null for the others")),
  timestamp: orNull(time("the timestamp of its block")),
  block_number: count("its block"),
  transaction_index: count("the index of the transaction in the block"),
  token_transfer_index: orNull(count("the index of the log of a token transfer in the block; null for the others")),
  internal_transaction_index: orNull(count("the index of an internal transaction; null for the others")),
  fee: decimal("what the transaction cost, in wei; for an internal one what its gas cost"),
});

export const MethodSchema = record("Method", {
  method_id: hex("the function selector"),
  name: orNull(text("the name of the function; null if it is not known")),
});

/** Additional envelope fields. */
export const ADVANCED_EXTRA = {
  search_params: fields("what the filter names", {
    methods: anything("the names of the selectors of `methods`, by selector"),
    tokens: anything("the [tokens](#token) that are included or excluded by address, by address"),
  }),
  traced_block_number: orNull(
    count("the block up to which internal transactions are in the list; null if they are not indexed"),
  ),
};
