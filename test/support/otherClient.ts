import { setImmediate as nextRound } from "node:timers/promises";

export interface Waits {
  readonly answers: number;
  /** The longest it waited, in milliseconds. */
  readonly longest: number;
  /** The same without what other programs took of the processor meanwhile: what this thread itself made it wait. */
  readonly longestCpu: number;
}

/** Has another client ask, again and again, while some work is done in this thread; answers how long it waited. */
export async function waitsDuring(work: Promise<unknown>, ask: () => Promise<unknown>): Promise<Waits> {
  let isRunning = true;
  const end = work.then(
    () => (isRunning = false),
    () => (isRunning = false),
  );
  const waits: Waits[] = [];
  while (isRunning) {
    const [start, own] = [performance.now(), cpuMilliseconds()];
    await ask();
    await nextRound();
    waits.push({ answers: 1, longest: performance.now() - start, longestCpu: cpuMilliseconds() - own });
  }
  await end;
  return {
    answers: waits.length,
    longest: Math.max(...waits.map(({ longest }) => longest)),
    longestCpu: Math.max(...waits.map(({ longestCpu }) => longestCpu)),
  };
}

function cpuMilliseconds(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
