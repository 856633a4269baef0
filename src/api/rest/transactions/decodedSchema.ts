import { Type } from "typebox";
import { arrayOf, fields, flag, hex, orNull, record, text, words } from "../../openapi/values.ts";
import type { PresentedValue } from "./presentDecoded.ts";

const parameter = {
  name: text("its name, empty where it has none"),
  type: text("its type in Solidity's words"),
  value: Type.Unsafe<PresentedValue>({
    anyOf: [{ type: "string" }, { type: "array" }],
    description: "its value as text; an array of them for arrays and tuples",
  }),
};

const signature = {
  method_id: Type.String({ description: "the first four bytes as eight hex digits", pattern: "^[0-9a-f]{8}$" }),
  method_call: text("the signature with types and names"),
};

const origin = {
  origin: words(
    ["abi", "implementation", "known", "bytecode"],
    "where the signature is from: [in which order](#in-which-order)",
  ),
  is_guess: flag("whether the types were read from bytecode, which can be misread"),
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
    fields("a parameter", { ...parameter, indexed: flag("whether it stands in a topic") }),
    "objects with `name`, `type`, `value` and `indexed`",
  ),
  ...origin,
});

export const RevertReasonSchema = record("Revert reason", {
  ...signature,
  parameters: arrayOf(fields("a parameter", parameter), "objects with `name`, `type` and `value`"),
  text: orNull(text("the reason, or what a panic means; null for a contract's own errors")),
  ...origin,
});

export const RawRevert = fields("what no error is known for", { raw: hex("the bytes as they are") });
