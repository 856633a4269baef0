import type { Work } from "./anvilWorks.ts";
import { worksOf } from "./anvilWorks.ts";
import type { Bar } from "./measure.ts";
import type { Rival } from "./rivals.ts";
import { startAnvil, startOriel } from "./rivals.ts";

/** Both sides take turns, so that a slower while of the computer is slower for both. */
const TURNS = 5;

interface Cost {
  readonly wallMs: number;
  /** Of the whole process; undefined where only a part of what it did is measured. */
  readonly cpuMs: number | undefined;
}

interface Comparison {
  readonly work: Work;
  readonly ours: Cost;
  readonly anvil: Cost;
}

/** Latency of sequential requests by one client; or the reason why there is no anvil. */
export async function compareWithAnvil(scale: number, rows: string): Promise<readonly Comparison[] | string> {
  const anvil = await startAnvil();
  if (typeof anvil === "string") return anvil;
  const stepping = await startAnvil("--steps-tracing");
  if (typeof stepping === "string") return stepping;
  const ours = await startOriel();
  try {
    const comparisons: Comparison[] = [];
    for (const work of await worksOf([ours, anvil, stepping], scale)) {
      const rival = work.isOfSteps === true ? stepping : anvil;
      if (work.isNeeded === true || work.what.includes(rows)) comparisons.push(await compare(work, ours, rival));
    }
    return comparisons;
  } finally {
    await ours.stop();
    await anvil.stop();
    await stepping.stop();
  }
}

async function compare(work: Work, ours: Rival, anvil: Rival): Promise<Comparison> {
  const sums = [ours, anvil].map((rival) => ({ rival, wallMs: 0, cpuMs: 0 }));
  const size = Math.ceil(work.count / TURNS);
  for (let from = 0; from < work.count; from += size) {
    for (const sum of sums) {
      const cpu = sum.rival.cpuMs();
      for (let index = from; index < Math.min(from + size, work.count); index++) {
        await work.before?.(sum.rival, index);
        const start = performance.now();
        await work.run(sum.rival, index);
        sum.wallMs += performance.now() - start;
      }
      sum.cpuMs += sum.rival.cpuMs() - cpu;
    }
  }
  const [our, their] = sums.map(({ wallMs, cpuMs }) => ({
    wallMs: wallMs / work.count,
    cpuMs: work.before === undefined ? cpuMs / work.count : undefined,
  })) as [Cost, Cost];
  return { work, ours: our, anvil: their };
}

export function rowsOf(comparisons: readonly Comparison[]): [string, string][] {
  return comparisons.map(({ work, ours, anvil }) => {
    const wall = `${ms(ours.wallMs)} ms beside ${ms(anvil.wallMs)}: ${times(ours.wallMs / anvil.wallMs)} times`;
    if (ours.cpuMs === undefined || anvil.cpuMs === undefined) return [work.what, wall];
    return [work.what, `${wall}; of CPU ${ms(ours.cpuMs)} beside ${ms(anvil.cpuMs)}`];
  });
}

export function barsOf(comparisons: readonly Comparison[]): Bar[] {
  return comparisons.flatMap(({ work, ours, anvil }) => {
    if (work.atMost === undefined) return [];
    return [{ what: `${work.what}, of anvil's time`, value: ours.wallMs / anvil.wallMs, atMost: work.atMost }];
  });
}

const ms = (value: number) => value.toFixed(value < 10 ? 2 : 0);
const times = (value: number) => value.toFixed(2);
