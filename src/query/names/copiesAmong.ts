import type { ReadSession } from "../../store/session.ts";
import type { KnownToken } from "../../store/stages/tokens/read/tokenReads.ts";

/** Tokens whose symbol another token with more holders has: anyone can choose any symbol. */
export async function copiesAmong(
  session: ReadSession,
  tokens: readonly KnownToken[],
): Promise<ReadonlySet<KnownToken>> {
  const symbols = tokens.flatMap(({ seen }) => seen?.symbol.text || []);
  const maxHolders = await session.tokens.names.maxHoldersBySymbol(symbols);
  return new Set(tokens.filter(({ seen, state }) => (maxHolders.get(seen?.symbol.text || "") ?? 0) > state.holders));
}
