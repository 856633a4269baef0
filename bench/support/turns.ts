import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { LoadClient } from "./load.ts";
import { percentile } from "./measure.ts";

/** Compared servers take turns, so that a slow phase of the machine affects all of them. */
export const TURNS = 20;
export const WIDTH = 8;

/** In a process of its own: what indexing leaves in the heap would be collected at the cost of what is measured. */
export async function indexAll(directory: string, url: string): Promise<void> {
  const child = fork(fileURLToPath(new URL("./indexing.ts", import.meta.url)), [directory, url]);
  const [code] = (await once(child, "exit")) as [number | null];
  if (code !== 0) throw new Error(`the indexer ended with ${code}`);
}

/** Each of them several times. */
export function repeat<T>(list: readonly T[]): T[] {
  return Array.from({ length: 5 }, () => list).flat();
}

export interface Requests {
  readonly origin: string;
  readonly paths: readonly string[];
  readonly bodies?: readonly string[];
  /** Milliseconds of CPU so far of who answers them; without it, that is this process. */
  readonly cpu?: () => Promise<number>;
}

async function ownCpu(): Promise<number> {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

export const mean = (costs: readonly number[]): number => costs.reduce((sum, cost) => sum + cost, 0) / costs.length;

/** On a machine that others use as well, a few turns of long requests cost several times as much. */
export const median = (costs: readonly number[]): number => percentile(costs, 0.5);

/** Microseconds of CPU for a request of each kind; turns below 0 warm up. */
export async function takeTurns(
  client: LoadClient,
  kinds: readonly ((turn: number) => Requests)[],
  turns = TURNS,
  summarize = mean,
  warmUp = 1,
): Promise<number[]> {
  const costs = kinds.map((): number[] => []);
  for (let turn = -warmUp; turn < turns; turn++) {
    // Who comes second pays for what the first left to collect, so they change places.
    const order = turn % 2 === 0 ? [...kinds.entries()] : [...kinds.entries()].reverse();
    for (const [kind, requestsOf] of order) {
      const { origin, paths, bodies, cpu = ownCpu } = requestsOf(turn);
      const before = await cpu();
      await client.send({ origin, paths, bodies, width: WIDTH });
      if (turn >= 0) costs[kind]!.push((((await cpu()) - before) * 1000) / paths.length);
    }
  }
  return costs.map(summarize);
}
