import type { CallOutcome } from "../../chain/source.ts";
import { readTokenAnswers, tokenCalls } from "../../chain/token/tokenAnswers.ts";
import type { KnownToken } from "../../store/stages/tokens/read/tokenReads.ts";
import type { QueryContext } from "../context.ts";
import type { IndexedRange } from "../indexedRange.ts";

/** For a token not observed yet: asks the node, within a time limit. */
export async function askToken(
  { node }: QueryContext,
  token: KnownToken,
  range: IndexedRange | undefined,
): Promise<KnownToken> {
  if (node === undefined || range === undefined) return token;
  const questions = tokenCalls(token.address, []).map(({ data }) => data);
  const outcomes = await node.calls.values(token.address, questions, range.tip);
  const reported = outcomes.filter((outcome) => outcome !== undefined);
  if (reported.length < outcomes.length) return token;
  const { name, symbol, decimals = null, totalSupply = null } = readTokenAnswers(reported satisfies CallOutcome[]);
  if (name === undefined || symbol === undefined) return token;
  // Without any answer nothing is gained.
  if (name.text === null && symbol.text === null && decimals === null && totalSupply === null) return token;
  const at = { token: token.id, block: range.tip.number, hash: range.tip.hash };
  const rest = { ledgerSupply: token.state.supply, ledger: "unknown", differing: [], failures: 0 } as const;
  return { ...token, seen: { ...at, name, symbol, decimals, totalSupply, ...rest, again: range.tip.number } };
}
