import { setImmediate as others } from "node:timers/promises";

/** Milliseconds that this thread computed, whatever else the machine does. */
export function computed(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

/** How long some work computes before others have their turn, at its worst. */
export async function longestHold(work: () => Promise<unknown>): Promise<number> {
  let [longest, last, isDone] = [0, computed(), false];
  const working = work().finally(() => {
    isDone = true;
  });
  while (!isDone) {
    await others();
    const now = computed();
    longest = Math.max(longest, now - last);
    last = now;
  }
  await working;
  return longest;
}

/** The same for work whose garbage need not be collected at the worst moment: the least of several times. */
export async function usualHold(work: (round: number) => Promise<unknown>, rounds = 4): Promise<number> {
  const holds: number[] = [];
  for (let round = 0; round < rounds; round++) holds.push(await longestHold(() => work(round)));
  return Math.min(...holds);
}
