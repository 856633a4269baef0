import { Type } from "../../openapi/type.ts";
import {
  anything,
  arrayOf,
  as,
  count,
  decimal,
  fields,
  flag,
  hash,
  orNull,
  record,
  text,
  words,
} from "../../openapi/values.ts";
import { AddressSchema } from "../addresses/addressSchema.ts";
import { TokenSchema } from "../tokens/tokenSchema.ts";

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
  type: words(["coin", "token"], "`coin` or `token`"),
  token: orNull(as(TokenSchema, "the [token](#token); null for the coin")),
  token_id: orNull(decimal("the id of an ERC-1155; null for others")),
  balance_before: orNull(text("the balance before the transaction; null if neither index nor node tells")),
  balance_after: orNull(text("the balance after it; null as above")),
  change: Type.Union(
    [
      text("the difference"),
      arrayOf(
        fields("an item", {
          direction: words(["from", "to"], "`from` if it was given away, `to` if it was received"),
          total: fields("the item", { token_id: decimal("its id") }),
        }),
        "the items of an ERC-721",
      ),
    ],
    {
      description:
        "the difference, negative where the balance became less; for an ERC-721 the items, each with `direction` (`from` or `to`) and `total.token_id`",
    },
  ),
});

/** Additional envelope fields. */
export const STATE_CHANGES_EXTRA = {
  has_token_changes: flag("whether token balances are in the list: false if tokens are not indexed as far"),
};
