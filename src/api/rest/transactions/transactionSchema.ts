import { Type } from "typebox";
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
  record,
  text,
  time,
  words,
} from "../../openapi/values.ts";
import { AddressSchema } from "../addresses/addressSchema.ts";
import { TransferSchema } from "../tokens/transferSchema.ts";
import { DecodedCallSchema, RawRevert, RevertReasonSchema } from "./decodedSchema.ts";

const TransactionType = words(
  [
    "coin_transfer",
    "contract_call",
    "contract_creation",
    "token_creation",
    "token_transfer",
    "blob_transaction",
    "set_code_transaction",
  ],
  "what it does",
);

export const AuthorizationSchema = record("Authorization", {
  address_hash: address("the address whose code is to be run"),
  address: address("the same"),
  authority: orNull(address("who signed it; null in lists, after the first 100, and where nobody can have")),
  chain_id: countOrText("the chain it is good for, 0 for every chain"),
  nonce: decimal("nonce of the authority"),
  r: decimal("signature, in decimal"),
  s: decimal("signature, in decimal"),
  v: countOrText("parity of the signature"),
  status: orNull(
    words(
      ["invalid_chain_id", "invalid_nonce", "invalid_signature"],
      "why it can have had no effect; null for all others, as a receipt does not say whether they did, and for signatures where `authority` is not looked for",
    ),
  ),
});

export const TransactionSchema = record("Transaction", {
  hash: hash("its hash"),
  status: orNull(words(["ok", "error"], "`ok` or `error`; null while it waits, and before Byzantium")),
  result: text(
    "`success`, `pending`, or why it failed in the words of the node: `execution reverted`, `out of gas`. `error` in a list and where the node does not trace; `awaiting_internal_transactions` before Byzantium",
  ),
  block_number: orNull(count("its block; null while it waits, as the next four")),
  block: orNull(count("the same")),
  block_hash: orNull(hash("the hash of its block")),
  position: orNull(count("its index in the block")),
  timestamp: orNull(time("when its block was made")),
  confirmations: count("1 in the newest block known, 0 while it waits"),
  created_contract: orNull(as(AddressSchema, "the [address](#address) it deployed a contract to")),
  gas_used: orNull(decimal("gas used; null while it waits")),
  from: as(AddressSchema, "the [address](#address) that sent it"),
  to: orNull(as(AddressSchema, "the [address](#address) it was sent to; null if it creates a contract")),
  value: decimal("wei sent"),
  type: count("transaction type"),
  nonce: countOrText("nonce; a string from 2^53 on"),
  gas_limit: decimal("gas limit"),
  gas_price: orNull(decimal("the price paid for gas, or what a waiting one names")),
  max_fee_per_gas: orNull(decimal("the bid's cap; null for types without one")),
  max_priority_fee_per_gas: orNull(decimal("the bid's tip; null for types without one")),
  fee: fields(
    "`value`: what the sender paid, blob fees included, with the `type` `actual`; or the most it can cost while it waits, with the `type` `maximum`",
    {
      type: words(["actual", "maximum"], "whether it was paid or is a bound"),
      value: decimal("wei"),
    },
  ),
  base_fee_per_gas: orNull(decimal("the base fee of its block")),
  priority_fee: orNull(decimal("the part of the fee that went to the miner; null for types without a bid")),
  transaction_burnt_fee: orNull(decimal("the part that was burnt; null for types without a bid")),
  tx_burnt_fee: orNull(decimal("the same")),
  raw_input: orNull(hex("the input as hex; null in a list where it is longer than 1,024 bytes")),
  method: orNull(
    text(
      "the name of the function a call [decodes](decoding.md) to, else its first four bytes; null for what is no call",
    ),
  ),
  transaction_types: arrayOf(
    TransactionType,
    "of `coin_transfer`, `contract_call`, `contract_creation`, `token_creation`, `token_transfer`, `blob_transaction`, `set_code_transaction`, in this order; the two of tokens are absent where tokens are not indexed",
  ),
  tx_types: arrayOf(TransactionType, "the same"),
  authorization_list: orNull(
    arrayOf(
      AuthorizationSchema,
      "the [authorizations](#authorization) of a transaction of type 4; null in a list where there are more than 6",
    ),
  ),
  token_transfers: orNull(
    arrayOf(
      TransferSchema,
      "its first ten [token transfers](#token-transfer); null in a list, while it waits, and where tokens are not indexed",
    ),
  ),
  token_transfers_overflow: orNull(flag("whether it has more than ten; null as above")),
  decoded_input: orNull(
    as(
      DecodedCallSchema,
      "the [decoded call](decoding.md#decoded-call); null where it does not decode, and for what is no call",
    ),
  ),
  revert_reason: Type.Union([RevertReasonSchema, RawRevert, Type.Null()], {
    description:
      "what a failed one [reverted with](decoding.md#revert-reason); null for nothing, in a list, and where the node does not trace",
  }),
  exchange_rate: nullToday("there are no prices"),
  historic_exchange_rate: nullToday("there are no prices"),
  transaction_tag: nullToday("there are no users who could tag it"),
  tx_tag: nullToday("there are no users who could tag it"),
  has_error_in_internal_transactions: nullToday("calls inside a transaction are not indexed"),
  confirmation_duration: empty("always empty"),
  actions: empty("always empty"),
  fhe_operations_count: count("always 0"),
  is_pending_update: always(false, "always false"),
  max_fee_per_blob_gas: Type.Optional(orNull(decimal("the most it pays for a unit of blob gas"))),
  blob_versioned_hashes: Type.Optional(
    orNull(arrayOf(hash("a versioned hash"), "the hashes of its blobs; null in a list where there are more than 32")),
  ),
  blob_gas_used: Type.Optional(orNull(decimal("blob gas; null while it waits"))),
  blob_gas_price: Type.Optional(orNull(decimal("the price it paid; null while it waits"))),
  burnt_blob_fee: Type.Optional(orNull(decimal("the two multiplied; null while it waits"))),
  extra: Type.Optional(
    orNull(
      anything("those fields, as the node sent them; null in a list where they are longer than 1,024 bytes as JSON"),
    ),
  ),
});
