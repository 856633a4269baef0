import type { TokenLabel } from "../../../store/tokens/tokenLabels.ts";
import { TOKEN_LABELS } from "../../../store/tokens/tokenLabels.ts";
import {
  address,
  always,
  arrayOf,
  as,
  count,
  decimal,
  nullToday,
  orNull,
  record,
  text,
  words,
} from "../../openapi/values.ts";
import { AddressSchema } from "../addresses/addressSchema.ts";

export const tokenKind = (description: string) => words(["ERC-20", "ERC-721", "ERC-1155"], description);

const tokenLabel = (description: string) => words(Object.keys(TOKEN_LABELS) as TokenLabel[], description);

export const TokenSchema = record("Token", {
  address_hash: address("the contract"),
  address: address("the same"),
  name: orNull(
    text(
      "what it calls itself, [made safe](tokens.md#what-is-observed); null until it is observed, or where it says nothing",
    ),
  ),
  symbol: orNull(text("likewise")),
  decimals: orNull(decimal("likewise")),
  type: tokenKind(
    "`ERC-1155` where its first transfer was of that, else `ERC-20` or `ERC-721`: the first of these whose transfers it emitted",
  ),
  types: arrayOf(tokenKind("a standard"), "all of them"),
  holders_count: decimal(
    "addresses that have more than nothing of it by its transfers; the zero address does not count",
  ),
  holders: decimal("the same"),
  total_supply: orNull(
    decimal(
      "what it said when it was observed, and what was minted since less what was burnt; with a [label](tokens.md#labels), or where the two did not agree from one observation to the next, what it said alone; if it said nothing, what was minted less what was burnt; null where that is below 0",
    ),
  ),
  labels: arrayOf(tokenLabel("a label"), "its [labels](tokens.md#labels)"),
  observed_block_number: orNull(
    count("the block at which it was asked for its name, symbol, decimals and supply; null until then"),
  ),
  reputation: always("ok", "always `ok`"),
  exchange_rate: nullToday("there are no prices"),
  coin_price: nullToday("there are no prices"),
  volume_24h: nullToday("there are no prices"),
  circulating_market_cap: nullToday("there are no prices"),
  circulating_supply: nullToday("nobody on the chain says what circulates"),
  icon_url: nullToday("there is no source of it"),
});

export const TokenCountersSchema = record("Token counters", {
  token_holders_count: decimal("as `holders_count` of the [token](#token)"),
  transfers_count: decimal("its transfers"),
});

export const HolderSchema = record("Holder", {
  address: as(AddressSchema, "the [address](#address)"),
  value: decimal("what it has: of an ERC-721 the number of items, of an ERC-1155 the sum over all ids"),
  value_source: words(["ledger", "balanceOf"], "[`ledger` or `balanceOf`](#where-a-balance-comes-from)"),
  token_id: nullToday("holders are ranked over all ids of a token"),
});

export const TokenBalanceSchema = record("Token balance", {
  value: decimal("what the address has: of an ERC-721 the number of items"),
  value_source: words(["ledger", "balanceOf"], "[`ledger` or `balanceOf`](#where-a-balance-comes-from)"),
  token: as(TokenSchema, "the [token](#token)"),
  token_id: orNull(decimal("the id in an ERC-1155; null for other tokens")),
  token_instance: nullToday("what an item's own data says is not fetched"),
});
