import {
  anything,
  arrayOf,
  as,
  count,
  decimal,
  flag,
  hash,
  nullToday,
  orNull,
  record,
  text,
  words,
} from "../../openapi/values.ts";
import { AddressSchema } from "../addresses/addressSchema.ts";

export const RawTraceSchema = record("Raw trace", {
  type: text("`call`, `create` or `suicide`"),
  action: anything(
    "what was asked: `from`, `to`, `value`, `gas`, `input` or `init`, `callType`; of a self-destruction `address`, `refundAddress` and `balance`",
  ),
  result: orNull(
    anything("what came of it: `gasUsed`, and `output`, or `address` and `code` of a new contract; null if it failed"),
  ),
  error: orNull(text("why it failed; null if it did not")),
  subtraces: count("calls that it made itself"),
  traceAddress: arrayOf(
    count("the place of a call among those of its caller"),
    "the way from the call of the transaction down to it",
  ),
  transactionHash: hash("the transaction"),
  blockNumber: count("its block"),
});

export const StateChangeSchema = record("State change", {
  address: as(AddressSchema, "the [address](#address) whose balance changed"),
  is_miner: flag("whether it is the miner of the block"),
  type: words(["coin"], "`coin`: what was transferred of tokens is in the [token transfers](#token-transfer)"),
  token: nullToday("only balances of the native coin are shown"),
  token_id: nullToday("only balances of the native coin are shown"),
  balance_before: decimal("its balance before the transaction, in wei"),
  balance_after: decimal("its balance after it"),
  change: text("the difference, negative where the balance became less"),
});
