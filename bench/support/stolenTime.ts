import { readFileSync } from "node:fs";

const MS_PER_TICK = 10;

/** Milliseconds that the hypervisor has taken from each core so far. */
function readStolen(): number[] {
  const cores = readFileSync("/proc/stat", "latin1").matchAll(/^cpu\d+(?: \d+){7} (\d+)/gm);
  return Array.from(cores, ([, ticks]) => Number(ticks) * MS_PER_TICK);
}

/** Begins to count; the function returns the milliseconds taken since from the core that lost most. */
export function countStolen(): () => number {
  const before = readStolen();
  return () => Math.max(0, ...readStolen().map((now, core) => now - (before[core] ?? now)));
}
