import { setTimeout as delay, setImmediate as yieldToEventLoop } from "node:timers/promises";

const POLL_INTERVAL = 20;

/** Polls a condition; the error names what was waited for. */
export async function until(what: string, holds: () => boolean | Promise<boolean>, seconds = 120): Promise<void> {
  const deadline = performance.now() + seconds * 1000;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`waited ${seconds} s in vain: ${what}`);
    await delay(POLL_INTERVAL);
  }
}

/** Lets the event loop turn some times: what is ready to run then has run, whatever the load of the machine. */
export async function eventLoopTurns(count = 20): Promise<void> {
  for (let turn = 0; turn < count; turn++) await yieldToEventLoop();
}

/** A clock that stands still until a test moves it. */
export function manualClock() {
  let time = 1_000_000;
  return {
    now: () => time,
    advance: (milliseconds: number) => {
      time += milliseconds;
    },
  };
}
