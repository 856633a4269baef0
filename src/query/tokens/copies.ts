import type { KnownToken } from "../../store/stages/tokens/read/tokenReads.ts";
import type { QueryContext } from "../context.ts";
import { copiesAmong } from "../names/copiesAmong.ts";

/** Tokens whose symbol another token with more holders has, without shares of pools. */
export async function findCopies(
  { store, names }: Pick<QueryContext, "store" | "names">,
  tokens: readonly KnownToken[],
): Promise<ReadonlySet<KnownToken>> {
  return names.withoutPools(await store.read((session) => copiesAmong(session, tokens)));
}
