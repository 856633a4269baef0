import { mkdirSync, writeFileSync } from "node:fs";

export interface Measured<T> {
  readonly result: T;
  /** CPU of this process, helper threads included. */
  readonly cpuMs: number;
  /** CPU of this thread. */
  readonly threadMs: number;
  readonly wallMs: number;
}

export async function measure<T>(work: () => Promise<T>): Promise<Measured<T>> {
  const [cpu, ofThread] = [process.cpuUsage(), process.threadCpuUsage()];
  const start = performance.now();
  const result = await work();
  const milliseconds = ({ user, system }: NodeJS.CpuUsage) => (user + system) / 1000;
  return {
    result,
    cpuMs: milliseconds(process.cpuUsage(cpu)),
    threadMs: milliseconds(process.threadCpuUsage(ofThread)),
    wallMs: performance.now() - start,
  };
}

/** Runs `work` for 0..count-1 with some of them under way at once. */
export async function inParallel(count: number, width: number, work: (index: number) => Promise<void>): Promise<void> {
  let next = 0;
  const lane = async () => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: width }, lane));
}

export function printTable(title: string, rows: readonly (readonly [label: string, value: string])[]): void {
  const width = Math.max(...rows.map(([label]) => label.length));
  console.log(`\n${title}`);
  for (const [label, value] of rows) console.log(`  ${label.padEnd(width)}  ${value}`);
}

/** Target of a figure. */
export interface Bar {
  readonly what: string;
  readonly value: number;
  readonly atLeast?: number;
  readonly atMost?: number;
}

/** Says of each bar whether it held; where one did not, the process will end with 1. */
export function printBars(bars: readonly Bar[]): void {
  const rows = bars.map(
    (bar) => [bar.what, `${shown(bar.value)}, ${boundOf(bar)}: ${isHeld(bar) ? "held" : "MISSED"}`] as const,
  );
  printTable("Bars", rows);
  if (!bars.every(isHeld)) process.exitCode = 1;
}

/** NaN holds no bar. */
function isHeld({ value, atLeast = -Infinity, atMost = Infinity }: Bar): boolean {
  return value >= atLeast && value <= atMost;
}

function boundOf({ atLeast, atMost }: Bar): string {
  return atLeast === undefined ? `at most ${atMost}` : `at least ${atLeast}`;
}

function shown(value: number): string {
  return value.toFixed(value < 10 ? 2 : 0);
}

export function writeResult(name: string, result: unknown): void {
  mkdirSync("bench/results", { recursive: true });
  writeFileSync(`bench/results/${name}.json`, `${JSON.stringify(result, undefined, 2)}\n`);
  console.log(`\nbench/results/${name}.json written`);
}

export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
