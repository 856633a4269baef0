import { ALL_CALL_TYPES } from "../../../chain/trace/internalCall.ts";
import { as, count, decimal, flag, hash, orNull, record, text, time, words } from "../../openapi/values.ts";
import { AddressSchema } from "../addresses/addressSchema.ts";

export const InternalTransactionSchema = record("Internal transaction", {
  block_number: count("its block"),
  timestamp: orNull(time("the timestamp of its block")),
  transaction_hash: hash("the transaction it is part of"),
  transaction_index: count("the index of that transaction in the block"),
  index: count("its place among all calls of the transaction, of which the transaction itself is 0"),
  depth: count("how deep it is nested: 1 for a call by the contract that the transaction called"),
  type: words(ALL_CALL_TYPES, "what it does; `delegatecall` and `staticcall` only in the list of one transaction"),
  from: as(AddressSchema, "the [address](#address) of the contract that made it"),
  to: orNull(as(AddressSchema, "the [address](#address) it called or paid; null for a creation")),
  created_contract: orNull(as(AddressSchema, "the [address](#address) of the contract it created; null otherwise")),
  value: decimal("the amount in wei; of a self-destruction the balance it paid out"),
  gas_limit: decimal("the gas it was given"),
  gas_used: decimal("the gas it used"),
  success: flag("whether it took effect"),
  error: orNull(text("why it did not: the error in the node's words, or `parent call failed`; null if it took effect")),
});
