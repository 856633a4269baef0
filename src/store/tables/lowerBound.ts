/** Integers that are looked at in one round: of one target, and of all. */
const PROBES = { each: 32, all: 128 };

/**
 * For each target the lowest integer of [low, high) whose value is past it, else `high`. Values past a target stay so
 * above. All targets are searched for together, and every round is one `load`: with one target a range of 2^24 takes
 * five rounds.
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
    const probes = open.map((range) => splitPoints(range.low, range.high, count));
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

/** A `load` for a search that keeps what it finds: the values on both sides of a border that lies inside the range. */
export function keepLoaded<V>(
  load: (at: number[]) => Promise<ReadonlyMap<number, V>>,
): readonly [load: (at: number[]) => Promise<ReadonlyMap<number, V>>, loaded: ReadonlyMap<number, V>] {
  const loaded = new Map<number, V>();
  const keep = async (at: number[]) => {
    const found = await load(at);
    for (const [one, value] of found) loaded.set(one, value);
    return found;
  };
  return [keep, loaded];
}

/** Up to `count` integers that part [low, high) evenly. */
function splitPoints(low: number, high: number, count: number): number[] {
  const probes = Math.min(count, high - low);
  const step = (high - low) / (probes + 1);
  return Array.from({ length: probes }, (_, i) => low + Math.floor(step * (i + 1)));
}
