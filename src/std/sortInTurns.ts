import { Turn } from "./turn.ts";

const BATCH_SIZE = 1000;

/** Stable sort that yields to the event loop. */
export async function sortInTurns<T>(items: readonly T[], compare: (one: T, other: T) => number): Promise<T[]> {
  const turn = new Turn();
  let runs: T[][] = [];
  for (let at = 0; at < items.length; at += BATCH_SIZE) {
    runs.push(items.slice(at, at + BATCH_SIZE).sort(compare));
    await turn.yieldToEventLoop();
  }
  while (runs.length > 1) {
    const merged: T[][] = [];
    for (let at = 0; at < runs.length; at += 2) merged.push(await merge(runs[at]!, runs[at + 1] ?? [], compare, turn));
    runs = merged;
  }
  return runs[0] ?? [];
}

async function merge<T>(
  first: readonly T[],
  second: readonly T[],
  compare: (one: T, other: T) => number,
  turn: Turn,
): Promise<T[]> {
  const merged: T[] = [];
  let [at, other] = [0, 0];
  while (at < first.length || other < second.length) {
    const isFirst = other === second.length || (at < first.length && compare(first[at]!, second[other]!) <= 0);
    merged.push(isFirst ? first[at++]! : second[other++]!);
    if (merged.length % BATCH_SIZE === 0) await turn.yieldToEventLoop();
  }
  return merged;
}
