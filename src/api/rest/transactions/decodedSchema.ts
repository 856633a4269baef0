import { Type } from "../../openapi/type.ts";
import { arrayOf, fields, flag, hex, orNull, record, text, words } from "../../openapi/values.ts";
import type { PresentedValue } from "./presentDecoded.ts";

const parameter = {
  name: text("its name, empty if it has none"),
  type: text("its Solidity type"),
  value: Type.Unsafe<PresentedValue>({
    anyOf: [{ type: "string" }, { type: "array" }],
    description: "its value as a string; an array of values for arrays and tuples",
  }),
};

const signature = {
  method_id: Type.String({ description: "the first four bytes as eight hex digits", pattern: "^[0-9a-f]{8}$" }),
  method_call: text("the signature with types and names"),
};

const origin = {
  origin: words(
    ["abi", "implementation", "known", "bytecode"],
    "the source of the signature, see [in which order](#in-which-order)",
  ),
  is_guess: flag("whether the types were recovered from bytecode, which may be wrong"),
};

export const DecodedCallSchema = record("Decoded call", {
  ...signature,
  parameters: arrayOf(fields("a parameter", parameter), "objects with `name`, `type` and `value`"),
  ...origin,
  trailing_data: Type.Optional(hex("the bytes after the last value")),
});

export const DecodedLogSchema = record("Decoded log", {
  ...signature,
  parameters: arrayOf(
    fields("a parameter", { ...parameter, indexed: flag("whether it is indexed, and so is in a topic") }),
    "objects with `name`, `type`, `value` and `indexed`",
  ),
  ...origin,
});

export const RevertReasonSchema = record("Revert reason", {
  ...signature,
  parameters: arrayOf(fields("a parameter", parameter), "objects with `name`, `type` and `value`"),
  text: orNull(text("the reason, or the meaning of a panic; null for custom errors")),
  ...origin,
});

export const RawRevert = fields("revert data that does not decode", { raw: hex("the raw bytes") });
