/** Probes per round: for one target, and in total. */
const PROBES = { each: 8, all: 64 };

/**
 * For each target the lowest integer in [low, high) whose value exceeds it, else `high`. Values must be monotonic.
 * Targets are searched together with one `load` per round: a range of 2^24 takes eight rounds.
 */
export async function lowerBound<T, V>(
  targets: readonly T[],
  [low, high]: readonly [low: number, high: number],
  load: (at: number[]) => Promise<ReadonlyMap<number, V>>,
  isPast: (value: V | undefined, target: T, at: number) => boolean,
): Promise<number[]> {
  const ranges = targets.map((target) => ({ target, low, high }));
  for (;;) {
    const open = ranges.filter((range) => range.low < range.high);
    if (open.length === 0) return ranges.map((range) => range.low);
    const count = Math.max(1, Math.min(PROBES.each, Math.floor(PROBES.all / open.length)));
    const probes = open.map((range) => parting(range.low, range.high, count));
    const values = await load([...new Set(probes.flat())]);
    for (const [i, range] of open.entries()) {
      for (const at of probes[i] ?? []) {
        if (isPast(values.get(at), range.target, at)) {
          range.high = at;
          break;
        }
        range.low = at + 1;
      }
    }
  }
}

/** Evenly spaced. */
function parting(low: number, high: number, count: number): number[] {
  const probes = Math.min(count, high - low);
  const step = (high - low) / (probes + 1);
  return Array.from({ length: probes }, (_, i) => low + Math.floor(step * (i + 1)));
}
