import type { Flavour } from "../../std/values.ts";
import { itemAt } from "../../std/values.ts";
import { mustHave } from "../rows/encoding.ts";
import type { Ordinal } from "../rows/position.ts";
import { lowerBound } from "./lowerBound.ts";

/** A list of ascending positions, which is stored as full runs of one length and a rest. */
export interface RunList<I extends string> {
  readonly count: number;
  readonly runLength: number;
  /** The first positions of full runs, by the numbers of those. */
  firstPositions(runs: readonly number[]): Promise<ReadonlyMap<number, Flavour<number, I>>>;
  /** The positions with ordinals in [from, to). */
  slice(from: Ordinal, to: Ordinal): Promise<readonly Flavour<number, I>[]>;
}

/** For each of some positions the ordinal of the first entry at or above it. */
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
  const ordinals: Ordinal[] = [];
  for (const [at, run] of runs.entries()) {
    const position = itemAt(positions, at);
    const start = Math.max(run - 1, 0) * runLength;
    const entries = await list.slice(start, run === full ? count : run * runLength);
    const first = entries.findIndex((entry) => entry >= position);
    ordinals.push(start + (first < 0 ? entries.length : first));
  }
  return ordinals;
}
