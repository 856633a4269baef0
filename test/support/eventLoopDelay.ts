import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import { threadCpuMs } from "./threadCpu.ts";

/** Longest stretch of CPU time in milliseconds during which the work does not yield to the event loop. */
async function maxEventLoopDelay(work: () => Promise<unknown>): Promise<number> {
  let [longest, last, isDone] = [0, threadCpuMs(), false];
  const working = work().finally(() => {
    isDone = true;
  });
  while (!isDone) {
    await yieldToEventLoop();
    const now = threadCpuMs();
    longest = Math.max(longest, now - last);
    last = now;
  }
  await working;
  return longest;
}

/** Minimum over several rounds, which excludes garbage collection at an unlucky moment. The first round below the bound is the last. */
export async function typicalEventLoopDelay(
  work: (round: number) => Promise<unknown>,
  bound = 0,
  rounds = 10,
): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < rounds && least >= bound; round++) {
    least = Math.min(least, await maxEventLoopDelay(() => work(round)));
  }
  return least;
}
