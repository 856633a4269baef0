import type { ReadSession } from "../../store/session.ts";
import type { KnownToken } from "../../store/stages/tokens/read/tokenReads.ts";
import type { QueryContext } from "../context.ts";

/** Tokens whose symbol another token with more holders has: anyone can choose any symbol. */
export function findCopies(
  { store }: Pick<QueryContext, "store">,
  tokens: readonly KnownToken[],
): Promise<ReadonlySet<KnownToken>> {
  return store.read((session) => copiesAmong(session, tokens));
}

export async function copiesAmong(
  session: ReadSession,
  tokens: readonly KnownToken[],
): Promise<ReadonlySet<KnownToken>> {
  const symbols = tokens.flatMap(({ seen }) => seen?.symbol.text || []);
  const maxHolders = await session.tokens.names.maxHoldersBySymbol(symbols);
  return new Set(tokens.filter(({ seen, state }) => (maxHolders.get(seen?.symbol.text || "") ?? 0) > state.holders));
}
