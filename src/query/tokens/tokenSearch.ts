import type { ReadSession } from "../../store/session.ts";
import type { NameMatch } from "../../store/stages/tokens/read/nameReads.ts";
import type { RankCursor } from "../pages.ts";
import type { SearchQuery } from "../searchQuery.ts";

export async function searchTokens(
  { tokens, addresses }: ReadSession,
  { address, text }: SearchQuery,
): Promise<readonly NameMatch[]> {
  if (text !== undefined) return tokens.names.find(text);
  const token = address && (await addresses.id(address));
  return token === undefined ? [] : [{ token, rank: 0, holders: 0 }];
}

/** Rank, holders, first appearance; above keys of exact matches. */
export function rankKeyOf({ rank, holders, token }: NameMatch): RankCursor["key"] {
  return [(BigInt(rank + 1) << 53n) + BigInt(Number.MAX_SAFE_INTEGER - holders), token];
}
