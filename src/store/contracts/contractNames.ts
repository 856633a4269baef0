import type { Hex } from "../../chain/encoding/hex.ts";
import { normaliseText } from "../../chain/token/searchText.ts";
import { Turn } from "../../std/async.ts";

export interface NamedContract {
  readonly address: Hex;
  /** Id of its newest source, ascending in time. */
  readonly id: number;
  readonly name: string;
  readonly language: string;
  readonly text: string;
}

const CONTRACT_RANKS = { exact: 0, prefix: 1, word: 2, inside: 3 } as const;

export interface ContractMatch {
  readonly contract: NamedContract;
  readonly rank: number;
}

const MAX_NAME_LENGTH = 128;

export const MAX_CONTRACTS_FOUND = 1000;

const NAME_BATCH_SIZE = 1000;

export function searchedName(text: string): string {
  return normaliseText(text.slice(0, 4 * MAX_NAME_LENGTH)).slice(0, MAX_NAME_LENGTH);
}

export async function findByName(contracts: readonly NamedContract[], query: string): Promise<ContractMatch[]> {
  const term = searchedName(query);
  if (term === "") return [];
  const byRank: ContractMatch[][] = Object.values(CONTRACT_RANKS).map(() => []);
  const turn = new Turn();
  for (const [at, contract] of contracts.entries()) {
    const rank = rankOf(contract.text, term);
    const matches = rank === undefined ? undefined : byRank[rank];
    if (rank !== undefined && matches !== undefined && matches.length < MAX_CONTRACTS_FOUND)
      matches.push({ contract, rank });
    if (at % NAME_BATCH_SIZE === 0) await turn.yieldToEventLoop();
  }
  return byRank.flat().slice(0, MAX_CONTRACTS_FOUND);
}

/** Identifiers have words separated by `_` and `$` only. */
function rankOf(name: string, term: string): number | undefined {
  const at = name.indexOf(term);
  if (at < 0) return undefined;
  if (at === 0) return name.length === term.length ? CONTRACT_RANKS.exact : CONTRACT_RANKS.prefix;
  const isWord = name.includes(`_${term}`) || name.includes(`$${term}`);
  return isWord ? CONTRACT_RANKS.word : CONTRACT_RANKS.inside;
}
