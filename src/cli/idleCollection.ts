import { getHeapStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** Milliseconds between looks at the load of the thread. */
const INTERVAL = 10_000;

/** Share of an interval in which an idle thread may work. */
const MAX_UTILIZATION = 0.05;

/** Bytes allocated since the last collection that make another worth its pause. */
const MIN_GARBAGE = 16 * 1024 * 1024;

/** Milliseconds. Where a collection takes longer, the next is left to V8, which collects in parts. */
const MAX_PAUSE = 50;

function allocatedBytes(): number {
  const { used_heap_size: heap, external_memory: external } = getHeapStatistics();
  return heap + external;
}

/**
 * Collects the garbage of the calling thread once it is idle: V8 keeps that of starting and of catching up until it needs the
 * room, which an idle thread never does.
 */
export function collectWhenIdle(interval = INTERVAL, maxPause = MAX_PAUSE): void {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  let kept = 0;
  let before = performance.eventLoopUtilization();
  const check = () => {
    const { utilization } = performance.eventLoopUtilization(before);
    before = performance.eventLoopUtilization();
    if (utilization > MAX_UTILIZATION || allocatedBytes() - kept < MIN_GARBAGE) return;
    const began = performance.now();
    collect();
    if (performance.now() - began > maxPause) clearInterval(timer);
    kept = allocatedBytes();
  };
  const timer = setInterval(check, interval).unref();
}
