import { toHex } from "../chain/encoding/hex.ts";
import type { Source } from "../chain/source.ts";
import { readTokenAnswers, tokenCalls } from "../chain/token/tokenAnswers.ts";
import { itemAt } from "../std/values.ts";
import type { Holding } from "../store/stages/tokens/read/holderSample.ts";
import type { SampledToken } from "../store/stages/tokens/read/tokenSample.ts";
import { sampleTokens } from "../store/stages/tokens/read/tokenSample.ts";
import type { StoreReader } from "../store/storeReader.ts";

interface BalanceComparison {
  readonly asked: number;
  readonly reported: number;
  readonly differing: readonly string[];
}

/**
 * Compares ledger balances of up to `count` ERC-20 tokens with `balanceOf`. Undefined if the ledger is not of this
 * chain. A difference reflects on the token, not on the index.
 */
export async function compareBalances(
  store: StoreReader,
  source: Source,
  count: number,
): Promise<BalanceComparison | undefined> {
  const sample = await store.read((session) => sampleTokens(session, count));
  if (sample === undefined) return undefined;
  const differing: string[] = [];
  const comparison = { asked: 0, reported: 0, differing };
  for (const token of sample.tokens) {
    const calls = tokenCalls(
      token.address,
      token.holdings.map(({ address }) => address),
    );
    const { balances } = readTokenAnswers(await source.call(calls, sample.at));
    for (const [at, reported] of balances.entries()) {
      comparison.asked++;
      if (typeof reported !== "bigint") continue;
      comparison.reported++;
      const holding = itemAt(token.holdings, at);
      if (reported !== holding.amount) differing.push(difference(token, holding, reported));
    }
  }
  return comparison;
}

function difference({ address }: SampledToken, { address: holder, amount }: Holding, reported: bigint): string {
  return `token ${toHex(address)} says that ${toHex(holder)} has ${reported}, its transfers add up to ${amount}`;
}
