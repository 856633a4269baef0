import type { ItemKind } from "../../../query/tokens/ownItems.ts";
import { ITEM_KINDS } from "../../../query/tokens/ownItems.ts";
import type { TokenFilter } from "../../../query/tokens/tokenList.ts";
import { MAX_TOKENS_FROM_END, TOKEN_KINDS } from "../../../query/tokens/tokenList.ts";
import { ORDERS, TOKEN_SORTS } from "../parameters.ts";
import type { Query } from "../params.ts";
import { ParameterError, parseChoice, parseSearch } from "../params.ts";

export function parseTokenFilter(query: Query): TokenFilter {
  const kinds = parseKinds(query.type);
  const [sort, order] = [parseChoice(query, "sort", TOKEN_SORTS), parseChoice(query, "order", ORDERS)];
  const isBlank = query.q === undefined || (typeof query.q === "string" && query.q.trim() === "");
  return { kinds, sort, order, query: isBlank ? undefined : parseSearch(query) };
}

/** Standards of other explorers; no transfer here has them. */
const FOREIGN = ["ERC-404", "ERC-7984"];

/** Undefined for all standards. */
export const parseTransferKinds = ({ type }: Query): TokenFilter["kinds"] | undefined =>
  type === undefined || type === "" ? undefined : parseKinds(type);

export function parseKinds(value: unknown): TokenFilter["kinds"] {
  if (value === undefined || value === "") return TOKEN_KINDS;
  const words = typeof value === "string" ? value.split(",") : [""];
  const isKnown = (word: string) => FOREIGN.includes(word) || TOKEN_KINDS.some((kind) => kind === word);
  if (!words.every(isKnown)) throw new ParameterError("type", `some of ${TOKEN_KINDS.join(",")}`);
  return TOKEN_KINDS.filter((kind) => words.includes(kind));
}

/** Standards that have instances. */
export function parseItemKinds(value: unknown): readonly ItemKind[] {
  if (value === undefined || value === "") return ITEM_KINDS;
  const words = typeof value === "string" ? value.split(",") : [""];
  const isKnown = (word: string) => word === "ERC-404" || ITEM_KINDS.some((kind) => kind === word);
  if (!words.every(isKnown)) throw new ParameterError("type", `some of ${ITEM_KINDS.join(",")}`);
  return ITEM_KINDS.filter((kind) => words.includes(kind));
}

export function tooFar(): ParameterError {
  return new ParameterError("page", `a page within ${MAX_TOKENS_FROM_END} tokens of an end of the list, or its anchor`);
}
