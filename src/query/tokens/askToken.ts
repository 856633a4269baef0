import type { CallOutcome } from "../../chain/source.ts";
import { readTokenAnswers, tokenCalls } from "../../chain/token/tokenAnswers.ts";
import type { KnownToken } from "../../store/stages/tokens/read/tokenReads.ts";
import type { QueryContext } from "../context.ts";
import type { IndexedRange } from "../indexedRange.ts";

/** A token that nobody has observed yet, with what it says of itself at the newest indexed block, if the node answers in time. */
export async function askToken(
  { node }: QueryContext,
  token: KnownToken,
  range: IndexedRange | undefined,
): Promise<KnownToken> {
  if (node === undefined || range === undefined) return token;
  const questions = tokenCalls(token.address, []).map(({ data }) => data);
  const outcomes = await node.calls.values(token.address, questions, range.tip);
  const said = outcomes.filter((outcome) => outcome !== undefined);
  if (said.length < outcomes.length) return token;
  const { name, symbol, decimals = null, totalSupply = null } = readTokenAnswers(said satisfies CallOutcome[]);
  if (name === undefined || symbol === undefined) return token;
  // Of one that says nothing no more is known than before.
  if (name.text === null && symbol.text === null && decimals === null && totalSupply === null) return token;
  const at = { token: token.id, block: range.tip.number, hash: range.tip.hash };
  const rest = { ledgerSupply: token.state.supply, ledger: "unknown", differing: [], failures: 0 } as const;
  return { ...token, seen: { ...at, name, symbol, decimals, totalSupply, ...rest, again: range.tip.number } };
}
