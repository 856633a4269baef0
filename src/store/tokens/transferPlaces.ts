import type { Bytes } from "../../chain/bytes.ts";
import type { Engine } from "../engine/engine.ts";
import { blockOf, firstPosition } from "../position.ts";
import { readTransactionIndex } from "./transferBody.ts";

/** The place of a transaction as one integer: its block and its index in it. */
export const placeOf = (block: number, index: number): number => firstPosition(block) + index;

interface Search {
  readonly place: number;
  /** Its transfers are at positions in [low, high), if there are any. */
  low: number;
  high: number;
}

const NEWEST = `SELECT b.column1, (SELECT max(t.position) FROM transfer t WHERE t.position >= b.column1 AND t.position < b.column2)
  FROM (VALUES $pairs) b`;

/**
 * Which of some transactions have transfers. Those of a block stand in the order of its transactions, so they are found
 * by halves, all at once: a read for each halving, of which a block has twenty at most.
 */
export async function placesWithTransfers(engine: Engine, places: readonly number[]): Promise<Set<number>> {
  const found = new Set<number>();
  let searches = await beginSearches(engine, places);
  while (searches.length > 0) {
    const middles = new Set(searches.map(middleOf));
    const rows = await engine.load("SELECT position, body FROM transfer WHERE position IN ($keys)", [...middles]);
    const indexes = new Map(rows.map(([at, body]) => [at as number, readTransactionIndex(body as Bytes)]));
    for (const search of searches) {
      const middle = middleOf(search);
      const there = placeOf(blockOf(middle), indexes.get(middle)!);
      if (there === search.place) found.add(search.place);
      else if (there < search.place) search.low = middle + 1;
      else search.high = middle;
    }
    searches = searches.filter(({ place, low, high }) => low < high && !found.has(place));
  }
  return found;
}

function middleOf({ low, high }: Search): number {
  return low + Math.floor((high - low) / 2);
}

async function beginSearches(engine: Engine, places: readonly number[]): Promise<Search[]> {
  const blocks = new Set(places.map(blockOf));
  const pairs = [...blocks].map((block) => [firstPosition(block), firstPosition(block + 1)] as const);
  const newest = new Map((await engine.loadPairs(NEWEST, pairs)) as [number, number | null][]);
  return places.flatMap((place) => {
    const low = firstPosition(blockOf(place));
    const last = newest.get(low) ?? null;
    return last === null ? [] : [{ place, low, high: last + 1 }];
  });
}
