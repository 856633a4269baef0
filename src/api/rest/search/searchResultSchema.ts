import { Type } from "../../openapi/type.ts";
import {
  address,
  always,
  count,
  decimal,
  flag,
  hash,
  nullToday,
  orNull,
  price,
  record,
  text,
  time,
  words,
} from "../../openapi/values.ts";
import { tokenKind } from "../tokens/tokenSchema.ts";

export const FoundTokenSchema = record("Found token", {
  type: always("token", "`token`"),
  name: orNull(text("its name, as in the [token](#token)")),
  symbol: orNull(text("its symbol")),
  address_hash: address("the address of its contract"),
  address: address("same as `address_hash`"),
  token_url: text("the path of its page in the explorer"),
  address_url: text("the path of its contract's page in the explorer"),
  token_type: tokenKind("its standard: `ERC-20`, `ERC-721` or `ERC-1155`"),
  holders_count: decimal("number of holders"),
  is_copy: flag("another token has the same symbol and more holders"),
  total_supply: orNull(decimal("its supply, as in the [token](#token)")),
  icon_url: nullToday("there is no source for it"),
  exchange_rate: orNull(price("its price in US dollars, as in the [token](#token)")),
  circulating_market_cap: nullToday("the chain does not record the circulating supply"),
  is_smart_contract_address: always(true, "always true"),
  is_smart_contract_verified: flag("whether its source is [verified](verification.md)"),
  is_verified_via_admin_panel: always(false, "always false"),
  certified: always(false, "always false"),
  priority: always(2, "2"),
  reputation: always("ok", "always `ok`"),
});

export const FoundAddressSchema = record("Found address", {
  type: words(["contract", "address"], "`contract` if it is known to be a contract, otherwise `address`"),
  name: orNull(text("as in an [address](#address)")),
  address_hash: address("the address"),
  address: address("same as `address_hash`"),
  url: text("the path of its page in the explorer"),
  is_smart_contract_address: orNull(flag("as `is_contract` of an [address](#address)")),
  is_smart_contract_verified: flag("whether its source is [verified](verification.md)"),
  ens_info: nullToday("name services are not supported"),
  certified: always(false, "always false"),
  priority: always(0, "0"),
  reputation: always("ok", "always `ok`"),
});

export const FoundBlockSchema = record("Found block", {
  type: always("block", "`block`"),
  block_number: count("its number"),
  block_hash: hash("its hash"),
  url: text("the path of its page in the explorer"),
  timestamp: orNull(time("its timestamp")),
  block_type: always("block", "always `block`"),
  priority: always(3, "3"),
});

export const FoundTransactionSchema = record("Found transaction", {
  type: always("transaction", "`transaction`"),
  transaction_hash: hash("its hash"),
  tx_hash: hash("same as `transaction_hash`"),
  url: text("the path of its page in the explorer"),
  timestamp: orNull(time("the timestamp of its block; null while it is pending")),
  priority: always(0, "0"),
});

export const FoundBlobSchema = record("Found blob", {
  type: always("blob", "`blob`"),
  blob_hash: hash("its versioned hash"),
  timestamp: orNull(time("the timestamp of the block of the newest transaction that references it")),
  priority: always(0, "0"),
});

export const RedirectSchema = record("Redirect", {
  redirect: flag("whether `q` is an address, or the number or hash of an existing item"),
  type: orNull(words(["address", "block", "transaction", "blob"], "`address`, `block`, `transaction` or `blob`")),
  parameter: orNull(text("the address with its checksum, or the hash of the block, the transaction or the blob")),
});

export const SearchResultSchema = Type.Union([
  FoundTokenSchema,
  FoundAddressSchema,
  FoundBlockSchema,
  FoundTransactionSchema,
  FoundBlobSchema,
]);
