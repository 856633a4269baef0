import type { Flavour } from "../../std/values.ts";
import { itemAt } from "../../std/values.ts";
import { mustHave } from "../rows/encoding.ts";
import type { Ordinal } from "../rows/position.ts";
import { lowerBound } from "./lowerBound.ts";

/** Ascending positions in full runs of fixed length and a tail. */
interface RunList<I extends string> {
  readonly count: number;
  readonly runLength: number;
  /** By run number. */
  firstPositions(runs: readonly number[]): Promise<ReadonlyMap<number, Flavour<number, I>>>;
  /** Ordinals [from, to). */
  slice(from: Ordinal, to: Ordinal): Promise<readonly Flavour<number, I>[]>;
}

/** Ordinal of the first entry at or above each position. */
export async function searchRuns<I extends string>(
  list: RunList<I>,
  positions: readonly Flavour<number, I>[],
): Promise<Ordinal[]> {
  const { count, runLength } = list;
  const full = Math.floor(count / runLength);
  const load = (runs: number[]) => list.firstPositions(runs);
  const runs = await lowerBound(
    positions,
    [0, full],
    load,
    (first, position, run) => mustHave(first, `run ${run} of a list`) >= position,
  );
  return Promise.all(
    runs.map(async (run, at) => {
      const position = itemAt(positions, at);
      const start = Math.max(run - 1, 0) * runLength;
      const entries = await list.slice(start, run === full ? count : run * runLength);
      const first = entries.findIndex((entry) => entry >= position);
      return start + (first < 0 ? entries.length : first);
    }),
  );
}
