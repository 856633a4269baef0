import { Indexer } from "../../src/indexer/indexer.ts";
import { STAGES } from "../../src/indexer/stages.ts";
import type { Upstream } from "../../src/source/upstream.ts";
import { openStore } from "../../src/store/openStore.ts";
import type { LoadClient } from "./load.ts";

/** What is compared takes turns, so that a slower while of the machine is slower for all of it. */
export const TURNS = 20;
export const WIDTH = 8;

export async function indexAll(directory: string, source: Upstream): Promise<void> {
  const store = await openStore(directory, 677);
  const indexer = new Indexer({ store, source, stages: STAGES });
  while ((await indexer.step()) !== "idle");
  await store.close();
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

/** Microseconds of CPU for a request of each kind; turn -1 warms up. */
export async function takeTurns(
  client: LoadClient,
  kinds: readonly ((turn: number) => Requests)[],
  turns = TURNS,
): Promise<number[]> {
  const sums = kinds.map(() => 0);
  for (let turn = -1; turn < turns; turn++) {
    // Who comes second pays for what the first left to collect, so they change places.
    const order = turn % 2 === 0 ? [...kinds.entries()] : [...kinds.entries()].reverse();
    for (const [kind, requestsOf] of order) {
      const { origin, paths, bodies, cpu = ownCpu } = requestsOf(turn);
      const before = await cpu();
      await client.send({ origin, paths, bodies, width: WIDTH });
      if (turn >= 0) sums[kind]! += (((await cpu()) - before) * 1000) / paths.length / turns;
    }
  }
  return sums;
}
