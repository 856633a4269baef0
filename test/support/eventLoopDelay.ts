import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import { threadCpuMs } from "./threadCpu.ts";

/** Longest stretch of CPU time in milliseconds during which the work does not yield to the event loop. */
export async function maxEventLoopDelay(work: () => Promise<unknown>): Promise<number> {
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

/** Minimum over several rounds, which excludes garbage collection at an unlucky moment. */
export async function typicalEventLoopDelay(work: (round: number) => Promise<unknown>, rounds = 4): Promise<number> {
  const delays: number[] = [];
  for (let round = 0; round < rounds; round++) delays.push(await maxEventLoopDelay(() => work(round)));
  return Math.min(...delays);
}
