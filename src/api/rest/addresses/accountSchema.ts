import {
  address,
  always,
  arrayOf,
  as,
  count,
  decimal,
  empty,
  fields,
  flag,
  hash,
  nullToday,
  number,
  orNull,
  price,
  record,
  text,
  words,
} from "../../openapi/values.ts";
import { TokenSchema } from "../tokens/tokenSchema.ts";
import { AddressSchema } from "./addressSchema.ts";

export const proxyType = (description: string) =>
  words(
    [
      "eip1167",
      "minimal_proxy",
      "clone_with_immutable_arguments",
      "eip7702",
      "eip1967",
      "eip1967_beacon",
      "eip1822",
      "eip1967_oz",
      "master_copy",
    ],
    description,
  );

export const creationStatus = (description: string) => words(["success", "selfdestructed"], description);

export const Implementation = fields("an implementation", {
  address_hash: address("its address"),
  address: address("same as `address_hash`"),
  name: orNull(text("its name, as in an [address](#address)")),
});

export const AccountSchema = record("Account", {
  hash: address("the address with its checksum"),
  name: orNull(text("its name, as in an [address](#address)")),
  is_contract: orNull(
    flag(
      "whether it has code, if only to delegate (EIP-7702); if the node does not respond, as in an [address](#address)",
    ),
  ),
  is_verified: flag(
    "whether its source is [verified](verification.md); for a minimal proxy or a delegation, whether those of its implementations are",
  ),
  is_scam: always(false, "always false"),
  reputation: always("ok", "always `ok`"),
  proxy_type: orNull(proxyType("the [kind of proxy](decoding.md#proxies); null if it is not a proxy")),
  implementations: arrayOf(
    Implementation,
    "the implementations of a proxy: objects with `address_hash`, `address` and `name`",
  ),
  coin_balance: orNull(decimal("its balance in wei after the indexed block; null if the node does not respond")),
  block_number_balance_updated_at: orNull(count("the block of the balance; null without a balance")),
  creator_address_hash: orNull(
    address(
      "the creator: the sender of the transaction that deployed it, or the contract that created it; null if it is [not known](#who-made-a-contract)",
    ),
  ),
  creation_transaction_hash: orNull(hash("the transaction that created it; null as above")),
  creation_tx_hash: orNull(hash("same as `creation_transaction_hash`")),
  creation_status: orNull(
    creationStatus(
      "`success` if that transaction is known, `selfdestructed` if the contract no longer has code; null as above",
    ),
  ),
  token: orNull(
    as(TokenSchema, "the [token](#token) at this address; null if it is not a token, or if tokens are not indexed"),
  ),
  has_logs: flag("whether it emitted logs"),
  has_tokens: orNull(flag("whether it holds any token; null if tokens are not indexed")),
  has_token_transfers: orNull(flag("whether it sent or received tokens; null if tokens are not indexed")),
  has_validated_blocks: flag("whether it is the miner of any block"),
  has_beacon_chain_withdrawals: nullToday("withdrawals are not indexed by recipient"),
  exchange_rate: orNull(
    price("the [price](exchange-api.md#prices) of the native coin in US dollars; null without one"),
  ),
  watchlist_address_id: nullToday("there are no user accounts"),
  ens_domain_name: nullToday("name services are not supported"),
  metadata: nullToday("there is no source for it"),
  private_tags: empty("always empty"),
  public_tags: empty("always empty"),
  watchlist_names: empty("always empty"),
});

export const RankedAccountSchema = record("Ranked account", {
  ...AddressSchema.properties,
  coin_balance: decimal("its balance in wei after the block that the list reflects"),
  percentage: orNull(number("its share of `total_supply` of the list, in percent")),
  transactions_count: decimal("transactions sent by, sent to or creating it, up to the newest indexed block"),
});

export const AccountCountersSchema = record("Account counters", {
  transactions_count: decimal("transactions sent by, sent to or creating the address"),
  token_transfers_count: orNull(decimal("token transfers from or to it; null if tokens are not indexed")),
  gas_usage_count: decimal("gas used by the transactions sent to a contract; otherwise by those it sent"),
  validations_count: decimal("blocks with this miner"),
});

export const AccountListsSchema = record("Account lists", {
  transactions_count: count("transactions"),
  token_transfers_count: orNull(count("token transfers; null if tokens are not indexed")),
  token_balances_count: orNull(count("token balances; null if tokens are not indexed")),
  logs_count: count("logs"),
  validations_count: count("blocks with this miner"),
  internal_transactions_count: orNull(count("internal transactions of the blocks that are traced; null if none are")),
  withdrawals_count: nullToday("withdrawals are not indexed by recipient"),
});
