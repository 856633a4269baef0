import type { ContractFilter } from "../../../query/contracts/verifiedContracts.ts";
import { CONTRACT_SORTS, MAX_SORTED_CONTRACTS } from "../../../query/contracts/verifiedContracts.ts";
import { readSearchQuery } from "../../../query/searchQuery.ts";
import type { Parameter } from "../../openapi/operation.ts";
import { Type } from "../../openapi/type.ts";
import { grouped, words } from "../../openapi/values.ts";
import { ORDERS } from "../parameters.ts";
import type { Query } from "../params.ts";
import { ParameterError, parseChoice } from "../params.ts";

/** Client names of supported languages. */
const LANGUAGES: Readonly<Record<string, string>> = { solidity: "Solidity", yul: "Yul" };

/** Languages of other explorers; no contract here has them. */
const FOREIGN = ["vyper", "scilla", "stylus_rust", "geas"];

export const CONTRACT_PARAMETERS: readonly Parameter[] = [
  {
    name: "q",
    in: "query",
    schema: Type.String({
      description: "Lists the contracts that have it in their names, or have it as their address.",
    }),
  },
  {
    name: "filter",
    in: "query",
    schema: words(
      [...Object.keys(LANGUAGES), ...FOREIGN],
      "`solidity` or `yul`: the language of the source. `vyper`, `scilla`, `stylus_rust` and `geas` are accepted, but match nothing.",
    ),
  },
  {
    name: "sort",
    in: "query",
    schema: words(
      CONTRACT_SORTS,
      `The field to sort by: \`balance\` or \`transactions_count\`, of at most ${grouped(MAX_SORTED_CONTRACTS)} contracts; 413 if there are more. Without it, those verified last are first.`,
    ),
  },
  { name: "order", in: "query", schema: words(ORDERS, "`desc` or `asc`: the order of `sort`.") },
];

export function parseContractFilter(query: Query): ContractFilter {
  const { q } = query;
  if (q !== undefined && typeof q !== "string") throw new ParameterError("q", "one text to search for");
  return {
    language: parseLanguage(query),
    search: q === undefined || q.trim() === "" ? undefined : readSearchQuery(q),
    sort: query.sort === undefined || query.sort === "" ? undefined : parseChoice(query, "sort", CONTRACT_SORTS),
    order: query.order === "" ? "desc" : parseChoice(query, "order", ORDERS),
  };
}

function parseLanguage({ filter }: Query): string | undefined {
  if (filter === undefined || filter === "") return undefined;
  const known = [...Object.keys(LANGUAGES), ...FOREIGN];
  if (typeof filter !== "string" || !known.includes(filter)) {
    throw new ParameterError("filter", `one of ${known.join(", ")}`);
  }
  return LANGUAGES[filter] ?? filter;
}
