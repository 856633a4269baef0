import type { Hex } from "../../chain/encoding/hex.ts";
import { normaliseText } from "../../chain/token/searchText.ts";
import { Turn } from "../../std/async.ts";
import type { AddressNames } from "./addressNames.ts";
import type { PoolName } from "./poolNames.ts";

export type NamedResult =
  | { readonly kind: "pool"; readonly pool: PoolName }
  | { readonly kind: "label"; readonly address: Hex; readonly text: string };

/** Results of each kind. */
const MAX_FOUND = 20;
const MAX_TEXT_LENGTH = 128;

/** Pools by one or both symbols, in any order, and labels by a part of their text. */
export async function findNamed(names: AddressNames, asked: string): Promise<readonly NamedResult[]> {
  const term = normaliseText(asked.slice(0, 4 * MAX_TEXT_LENGTH)).slice(0, MAX_TEXT_LENGTH);
  if (term === "") return [];
  const turn = new Turn();
  const labels: NamedResult[] = [];
  for (const [address, text] of names.labels()) {
    if (labels.length === MAX_FOUND) break;
    if (normaliseText(text).includes(term)) labels.push({ kind: "label", address, text });
    await turn.yieldToEventLoop();
  }
  return [...labels, ...(await findPools(names, term, turn))];
}

async function findPools(names: AddressNames, term: string, turn: Turn): Promise<NamedResult[]> {
  const words = term.split(/[\s/,-]+/).filter((word) => word !== "");
  if (words.length === 0 || words.length > 2) return [];
  const found: NamedResult[] = [];
  for (const pool of names.pools()) {
    if (found.length === MAX_FOUND) break;
    const symbols = pool.symbols.map(normaliseText);
    if (words.every((word) => symbols.includes(word))) found.push({ kind: "pool", pool });
    await turn.yieldToEventLoop();
  }
  return found;
}
