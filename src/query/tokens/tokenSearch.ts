import type { ReadSession } from "../../store/session.ts";
import type { NameMatch } from "../../store/stages/tokens/read/nameReads.ts";
import type { RankCursor } from "../pages.ts";
import type { SearchQuery } from "../searchQuery.ts";

/** The tokens that a query finds, the best first. */
export async function searchTokens(
  { tokens, addresses }: ReadSession,
  { address, text }: SearchQuery,
): Promise<readonly NameMatch[]> {
  if (text !== undefined) return tokens.names.find(text);
  const token = address && (await addresses.id(address));
  return token === undefined ? [] : [{ token, rank: 0, holders: 0 }];
}

/** By rank, then the most holders, then the first seen: above the keys of what is found exactly. */
export function rankKeyOf({ rank, holders, token }: NameMatch): RankCursor["key"] {
  return [(BigInt(rank + 1) << 53n) + BigInt(Number.MAX_SAFE_INTEGER - holders), token];
}
