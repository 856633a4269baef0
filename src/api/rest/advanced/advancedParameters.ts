import type { Parameter } from "../../openapi/operation.ts";
import { Type } from "../../openapi/type.ts";
import { words } from "../../openapi/values.ts";

export const MAX_VALUES = 20;

export const RELATIONS = ["or", "and"] as const;

const inQuery = (name: string, schema: Parameter["schema"]): Parameter => ({ name, in: "query", schema });
const text = (name: string, description: string) => inQuery(name, Type.String({ description }));

const SEVERAL = `, or up to ${MAX_VALUES} separated by commas`;
const parties = (side: string, verb: string) => [
  text(`${side}_address_hashes_to_include`, `An address${SEVERAL}: only items ${verb} one of them.`),
  text(`${side}_address_hashes_to_exclude`, `An address${SEVERAL}: only items ${verb} none of them.`),
];
const tokens = (word: string, meaning: string) => [
  text(
    `token_contract_address_hashes_to_${word}`,
    `The address of a token, or \`native\` for the coin${SEVERAL}: ${meaning}.`,
  ),
  text(
    `token_contract_symbols_to_${word}`,
    `The symbol of a token${SEVERAL}: ${meaning}. With addresses beside it, both must fit.`,
  ),
];

/** Beside the page parameters. */
export const ADVANCED_PARAMETERS: readonly Parameter[] = [
  text(
    "transaction_types",
    "Some of `coin_transfer`, `contract_interaction`, `contract_creation`, `ERC-20`, `ERC-721` and `ERC-1155`, in any case, separated by commas. `coin_transfer` also fits whatever else carries coins. `ERC-404` and `ERC-7984` are accepted, but match nothing.",
  ),
  text("methods", `A function selector of 0x and 8 hex digits${SEVERAL}. Internal transactions match none.`),
  text("age_from", "Only items from this time on: ISO 8601, or seconds since 1970."),
  text("age_to", "Only items up to this time."),
  ...parties("from", "from"),
  ...parties("to", "to or creating"),
  inQuery(
    "address_relation",
    words(RELATIONS, "Whether an item must fit the addresses of `from` `or` those of `to`, or both: `and`."),
  ),
  text(
    "amount_from",
    "Only items of at least this amount, in whole coins or tokens, with a point before a fraction. An ERC-721 is 1; a token without decimals has 0.",
  ),
  text("amount_to", "Only items of at most this amount."),
  ...tokens("include", "only these"),
  ...tokens("exclude", "none of these"),
];

export const METHOD_TEXT: Parameter = text(
  "q",
  "A function selector of 0x and 8 hex digits, or how the name of a function begins, in any case.",
);
