import { arrayOf, as, count, decimal, flag, orNull, record, text, words } from "../../openapi/values.ts";
import { AddressSchema } from "../addresses/addressSchema.ts";
import { TokenSchema } from "../tokens/tokenSchema.ts";

/** The types of actions. */
export const ACTION_TYPES = [
  "create_contract",
  "delegate",
  "swap",
  "add_liquidity",
  "remove_liquidity",
  "collect",
  "wrap",
  "unwrap",
  "transfer",
  "mint",
  "burn",
  "approve",
  "post_blobs",
  "send",
] as const;

export const AssetSchema = record("Asset", {
  token: orNull(as(TokenSchema, "the [token](#token); null for the native coin")),
  amount: decimal("in smallest units; the number of items of a collection"),
  token_ids: orNull(arrayOf(decimal("an id"), "the ids of items; null for fungible tokens and the coin")),
  is_copy: flag("whether another token with more holders has the same symbol"),
});

export const ActionPoolSchema = record("Action pool", {
  address: text("the address of the pool"),
  exchange: orNull(text("the name of its exchange; null if it is not configured or known")),
  fee: count("its fee in hundredths of a basis point"),
  token0: as(TokenSchema, "its first [token](#token)"),
  token1: as(TokenSchema, "its second [token](#token)"),
});

export const ActionSchema = record("Action", {
  type: words(ACTION_TYPES, ACTION_TYPES.map((type) => `\`${type}\``).join(", ")),
  from: orNull(
    as(
      AddressSchema,
      "the [address](#address) that gave, approved or delegated; null if there is none, or if it was several",
    ),
  ),
  to: orNull(
    as(
      AddressSchema,
      "the [address](#address) that received, may spend, is delegated to or was created; null if there is none, or if it was several",
    ),
  ),
  given: arrayOf(
    AssetSchema,
    "[assets](#asset) that left: in a swap the net amounts that pools took; the approved one",
  ),
  received: arrayOf(AssetSchema, "[assets](#asset) that came in return: in a swap the net amounts that pools paid"),
  pools: arrayOf(ActionPoolSchema, "the [pools](#action-pool) it went through"),
  is_unlimited: orNull(
    flag("of an approval: whether it has no limit in practice, which is from 2^255 on, or all items"),
  ),
  is_applied: orNull(flag("of a delegation: whether it took effect; null if that is not known")),
  blobs: orNull(count("how many blobs were posted")),
});

export const BatchPartSchema = record("Batch call", {
  to: as(AddressSchema, "the called [address](#address)"),
  method: orNull(text("the name or selector of the function; null for a payment")),
  value: decimal("wei"),
});
