import { TRANSACTION_TYPES } from "../../../query/transactions/transactionTypes.ts";
import { Type } from "../../openapi/type.ts";
import {
  address,
  always,
  anything,
  arrayOf,
  as,
  count,
  countOrText,
  decimal,
  empty,
  fields,
  flag,
  hash,
  hex,
  nullToday,
  orNull,
  price,
  record,
  text,
  time,
  words,
} from "../../openapi/values.ts";
import { AddressSchema } from "../addresses/addressSchema.ts";
import { TransferSchema } from "../tokens/transferSchema.ts";
import { ActionSchema, BatchPartSchema } from "./actionSchema.ts";
import { DecodedCallSchema, RawRevert, RevertReasonSchema } from "./decodedSchema.ts";
import { SentenceSchema } from "./summarySchema.ts";

const TransactionType = words(TRANSACTION_TYPES, "a kind of transaction");

export const AuthorizationSchema = record("Authorization", {
  address_hash: address("the address whose code the account delegates to"),
  address: address("same as `address_hash`"),
  authority: orNull(address("the signer; null in lists, after the first 100, and for an invalid signature")),
  chain_id: countOrText("the chain id it is valid for, 0 for every chain"),
  nonce: countOrText("nonce of the authority"),
  r: decimal("signature, in decimal"),
  s: decimal("signature, in decimal"),
  v: countOrText("parity of the signature"),
  status: orNull(
    words(
      ["ok", "invalid_chain_id", "invalid_nonce", "invalid_signature", "invalid_code"],
      "`ok` if the account delegates by it, otherwise why not; `invalid_code` if the signer is a contract; null while that is not known: in lists and while pending except for faults of its own, if the node does not have the state before the transaction, and for signatures that are not recovered (see `authority`)",
    ),
  ),
});

export const TransactionSchema = record("Transaction", {
  hash: hash("its hash"),
  status: orNull(words(["ok", "error"], "`ok` or `error`; null while it is pending, and before Byzantium")),
  result: text(
    "`success`, `pending`, or the node's reason for the failure, such as `execution reverted` or `out of gas`; `error` if the node has no trace, and in a list if internal transactions are not indexed; `awaiting_internal_transactions` before Byzantium",
  ),
  block_number: orNull(count("its block; null while it is pending, like the next four fields")),
  block: orNull(count("same as `block_number`")),
  block_hash: orNull(hash("the hash of its block")),
  position: orNull(count("its index in the block")),
  timestamp: orNull(time("the timestamp of its block")),
  confirmations: count(
    "1 in the newest known block; 0 while it is pending, or if the node has [replaced](operations.md#reorgs) its block",
  ),
  created_contract: orNull(as(AddressSchema, "the [address](#address) of the contract it deployed")),
  gas_used: orNull(decimal("gas used; null while it is pending")),
  from: as(AddressSchema, "the [address](#address) of the sender"),
  to: orNull(as(AddressSchema, "the [address](#address) it was sent to; null if it creates a contract")),
  value: decimal("wei sent"),
  type: count("transaction type"),
  nonce: countOrText("nonce; a string from 2^53 on"),
  gas_limit: decimal("gas limit"),
  gas_price: orNull(decimal("the effective gas price; while it is pending, the price in the transaction")),
  max_fee_per_gas: orNull(decimal("the maximum fee per gas; null for types without one")),
  max_priority_fee_per_gas: orNull(decimal("the maximum priority fee per gas; null for types without one")),
  fee: fields(
    "`value` and `type`: the fee that the sender paid, including blob fees, has the type `actual`; while it is pending, the highest possible fee has the type `maximum`",
    {
      type: words(["actual", "maximum"], "whether the fee was paid or is the highest possible"),
      value: decimal("wei"),
    },
  ),
  base_fee_per_gas: orNull(decimal("the base fee of its block")),
  priority_fee: orNull(decimal("the part of the fee that went to the miner; null for types without a fee cap")),
  transaction_burnt_fee: orNull(decimal("the part of the fee that was burnt; null for types without a fee cap")),
  tx_burnt_fee: orNull(decimal("same as `transaction_burnt_fee`")),
  raw_input: orNull(
    hex("the input as hex; a list shows inputs of more than 1,024 bytes until they come to 1 MiB on a page, then null"),
  ),
  method: orNull(
    text(
      "the name of the called function if the call [decodes](decoding.md), otherwise the selector; null if it is not a call",
    ),
  ),
  transaction_types: arrayOf(
    TransactionType,
    "any of `coin_transfer`, `contract_call`, `contract_creation`, `token_creation`, `token_transfer`, `blob_transaction`, `set_code_transaction`, in this order; the two token types are absent if tokens are not indexed",
  ),
  tx_types: arrayOf(TransactionType, "same as `transaction_types`"),
  authorization_list: orNull(
    arrayOf(
      AuthorizationSchema,
      "the [authorizations](#authorization) of a transaction of type 4; null in a list if there are more than 6",
    ),
  ),
  token_transfers: orNull(
    arrayOf(
      TransferSchema,
      "its first ten [token transfers](#token-transfer); null in a list, while it is pending, and if tokens are not indexed",
    ),
  ),
  token_transfers_overflow: orNull(
    flag("whether it has more than ten token transfers; null while it is pending, and if tokens are not indexed"),
  ),
  decoded_input: orNull(
    as(DecodedCallSchema, "the [decoded call](decoding.md#decoded-call); null if it does not decode or is not a call"),
  ),
  revert_reason: Type.Union([RevertReasonSchema, RawRevert, Type.Null()], {
    description:
      "the [revert reason](decoding.md#revert-reason) of a failed transaction; null if there is none, in a list, and if the node has no trace",
  }),
  exchange_rate: orNull(price("the price of the native coin in US dollars; null without one, and in a list")),
  historic_exchange_rate: nullToday("past prices are not kept"),
  transaction_tag: nullToday("there are no user accounts"),
  tx_tag: nullToday("there are no user accounts"),
  has_error_in_internal_transactions: nullToday("failed calls without a value are not indexed"),
  confirmation_duration: empty("always empty"),
  actions: empty("always empty"),
  fhe_operations_count: count("always 0"),
  is_pending_update: always(false, "always false"),
  max_fee_per_blob_gas: Type.Optional(orNull(decimal("the maximum fee per blob gas"))),
  blob_versioned_hashes: Type.Optional(
    orNull(
      arrayOf(hash("a versioned hash"), "the versioned hashes of its blobs; null in a list if there are more than 32"),
    ),
  ),
  blob_gas_used: Type.Optional(orNull(decimal("blob gas used; null while it is pending"))),
  blob_gas_price: Type.Optional(orNull(decimal("the blob gas price it paid; null while it is pending"))),
  burnt_blob_fee: Type.Optional(orNull(decimal("blob gas used times the blob gas price; null while it is pending"))),
  extra: Type.Optional(
    orNull(anything("these fields as the node sent them; null in a list if they are longer than 1,024 bytes as JSON")),
  ),
  extra_omitted: Type.Optional(
    count("how many more the transaction and its receipt have that are [too large](integrity.md#sizes) to keep"),
  ),
  summary: Type.Optional(
    as(
      fields("what it did", {
        ...SentenceSchema.properties,
        actions: arrayOf(ActionSchema, "its [actions](#action), the most important first; empty if it failed"),
        calls: arrayOf(BatchPartSchema, "the [calls](#batch-call) of a multicall, at most 50; empty for others"),
        is_complete: flag("false if it has too many logs to tell what it did beyond the call"),
      }),
      "what it did: a sentence with `summary_template` and `summary_template_variables` as in the [summary](#transaction-summary), its `actions`, the `calls` of a multicall, and `is_complete`, which is false if it has more than 200 logs; absent in lists",
    ),
  ),
});
