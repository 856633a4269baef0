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
  hex,
  nullToday,
  orNull,
  record,
  text,
  words,
} from "../../openapi/values.ts";
import { TokenSchema } from "../tokens/tokenSchema.ts";

const proxyType = (description: string) =>
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

const creationStatus = (description: string) => words(["success", "selfdestructed"], description);

const Implementation = fields("who runs", {
  address_hash: address("its address"),
  address: address("the same"),
  name: orNull(text("what a token calls itself; null for all else")),
});

export const AccountSchema = record("Account", {
  hash: address("the address with its checksum"),
  name: orNull(text("what a [token](#token) calls itself; null for all else")),
  is_contract: orNull(
    flag("whether it has code of its own; where the node does not say, as in an [address](#address)"),
  ),
  is_verified: always(false, "always false: contract source is not verified"),
  is_scam: always(false, "always false"),
  reputation: always("ok", "always `ok`"),
  proxy_type: orNull(proxyType("the [kind of proxy](decoding.md#proxies) it is; null for all else")),
  implementations: arrayOf(
    Implementation,
    "who runs in place of a proxy: objects with `address_hash`, `address` and `name`",
  ),
  coin_balance: orNull(decimal("its wei after the indexed block; null where the node does not say")),
  block_number_balance_updated_at: orNull(count("that block; null without a balance")),
  creator_address_hash: orNull(
    address(
      "who made it: the sender of the transaction that deployed it, or the contract that created it; null where that is [not known](#who-made-a-contract)",
    ),
  ),
  creation_transaction_hash: orNull(hash("the transaction in which that happened; null as above")),
  creation_tx_hash: orNull(hash("the same")),
  creation_status: orNull(
    creationStatus(
      "`success` where that transaction is known, `selfdestructed` where the contract is gone; null as above",
    ),
  ),
  token: orNull(as(TokenSchema, "the [token](#token) it is; null for what is none, and where tokens are not indexed")),
  has_logs: flag("whether it emitted logs"),
  has_tokens: orNull(flag("whether it has more than nothing of a token; null where tokens are not indexed")),
  has_token_transfers: orNull(flag("whether tokens went from or to it; null where tokens are not indexed")),
  has_validated_blocks: flag("whether blocks name it as their miner"),
  has_beacon_chain_withdrawals: nullToday("withdrawals are not listed by who got them"),
  exchange_rate: nullToday("there are no prices"),
  watchlist_address_id: nullToday("there are no users who could watch it"),
  ens_domain_name: nullToday("no name service is read"),
  metadata: nullToday("there is no source of it"),
  private_tags: empty("always empty"),
  public_tags: empty("always empty"),
  watchlist_names: empty("always empty"),
});

export const AccountCountersSchema = record("Account counters", {
  transactions_count: decimal("the transactions sent by, sent to or creating the address"),
  token_transfers_count: orNull(decimal("the token transfers from or to it; null where tokens are not indexed")),
  gas_usage_count: decimal("gas used by the transactions it sent"),
  validations_count: decimal("the blocks that name it as their miner"),
});

export const AccountListsSchema = record("Account lists", {
  transactions_count: count("transactions"),
  token_transfers_count: orNull(count("token transfers; null where tokens are not indexed")),
  token_balances_count: orNull(count("token balances; null where tokens are not indexed")),
  logs_count: count("logs"),
  validations_count: count("blocks that name it as their miner"),
  internal_transactions_count: nullToday("calls inside a transaction are not indexed"),
  withdrawals_count: nullToday("withdrawals are not listed by who got them"),
});

export const ContractSchema = record("Contract", {
  proxy_type: orNull(proxyType("as in an [account](#account)")),
  implementations: arrayOf(Implementation, "likewise"),
  conflicting_implementations: nullToday("the ways to recognise a proxy have an order, so none contradicts another"),
  deployed_bytecode: orNull(
    hex("its code after the indexed block; `0x` where it is gone; null where the node does not say"),
  ),
  creation_bytecode: orNull(
    hex(
      "the code that [made it](#who-made-a-contract): its program, and what it was given after that; null where that is not known",
    ),
  ),
  creation_status: orNull(creationStatus("as in an [account](#account)")),
});
