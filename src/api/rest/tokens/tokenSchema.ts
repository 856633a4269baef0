import { LABELS } from "../../../query/tokens/tokenLabels.ts";
import {
  address,
  always,
  arrayOf,
  as,
  count,
  decimal,
  nullToday,
  orNull,
  price,
  record,
  text,
  words,
} from "../../openapi/values.ts";
import { AddressSchema } from "../addresses/addressSchema.ts";
import { ItemSchema } from "./itemSchema.ts";

export const tokenKind = (description: string) => words(["ERC-20", "ERC-721", "ERC-1155"], description);

const tokenLabel = (description: string) => words(LABELS, description);

export const TokenSchema = record("Token", {
  address_hash: address("the contract"),
  address: address("same as `address_hash`"),
  name: orNull(text("its name, [sanitized](tokens.md#what-is-observed); null until it is observed, or if it has none")),
  symbol: orNull(text("its symbol; null as above")),
  decimals: orNull(
    decimal("its decimals; `0` for an ERC-721, and for an ERC-1155 that does not say others; otherwise null as above"),
  ),
  type: tokenKind(
    "`ERC-1155` if its first transfer was an ERC-1155 transfer; otherwise `ERC-20` or `ERC-721`, the first of these whose transfers it emitted",
  ),
  types: arrayOf(tokenKind("a standard"), "all standards whose transfers it emitted"),
  holders_count: decimal("addresses with a balance above zero according to its transfers, without the zero address"),
  holders: decimal("same as `holders_count`"),
  total_supply: orNull(
    decimal(
      "the observed `totalSupply()`, plus mints and minus burns since; only the observed value if the token has a [label](tokens.md#labels) or if two observations did not match the transfers between them; without an observed value, mints minus burns; null if that is negative",
    ),
  ),
  labels: arrayOf(tokenLabel("a label"), "its [labels](tokens.md#labels)"),
  observed_block_number: orNull(
    count("the block at which its name, symbol, decimals and supply were observed; null until then"),
  ),
  reputation: always("ok", "always `ok`"),
  exchange_rate: orNull(
    price(
      "its [price](exchange-api.md#prices) in US dollars; null without one, and inside transfers and search results",
    ),
  ),
  coin_price: orNull(price("the price of the native coin in US dollars; null as above")),
  volume_24h: nullToday("trades are counted by [pool](exchange-api.md#pool)"),
  circulating_market_cap: nullToday("the chain does not record the circulating supply"),
  circulating_supply: nullToday("the chain does not record the circulating supply"),
  icon_url: nullToday("there is no source for it"),
});

export const TokenCountersSchema = record("Token counters", {
  token_holders_count: decimal("as `holders_count` of the [token](#token)"),
  transfers_count: decimal("number of transfers"),
});

export const HolderSchema = record("Holder", {
  address: as(AddressSchema, "the [address](#address)"),
  value: decimal("its balance: for an ERC-721 the number of items, for an ERC-1155 that of the id"),
  value_source: words(["ledger", "balanceOf"], "[`ledger` or `balanceOf`](#where-a-balance-comes-from)"),
  token_id: orNull(decimal("the id, for an ERC-1155 or an instance; null for other tokens")),
});

export const TokenBalanceSchema = record("Token balance", {
  value: decimal("the balance of the address: for an ERC-721 the number of items"),
  value_source: words(["ledger", "balanceOf"], "[`ledger` or `balanceOf`](#where-a-balance-comes-from)"),
  token: as(TokenSchema, "the [token](#token)"),
  token_id: orNull(decimal("the id of an ERC-1155 item; null for other tokens")),
  token_instance: orNull(
    as(ItemSchema, "the [instance](#token-instance) of an ERC-1155 item, without its token; null for other tokens"),
  ),
});
