import { setTimeout as delay } from "node:timers/promises";
import { percentile } from "./measure.ts";
import type { Program } from "./program.ts";

export interface Served {
  readonly requests: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
  readonly peakRssMegabytes: number;
}

interface Reading {
  /** The next path to read, given the newest block. */
  readonly path: (indexed: number) => string;
  /** Told of the newest block about once a second. */
  readonly onIndexed?: (indexed: number) => Promise<void>;
  /** For which it reads on after the last block. */
  readonly secondsAfter?: number;
}

export const READS_PER_SECOND = 50;

/**
 * Reads at a fixed rate while a program ingests. A request that had to wait counts from when it should have been sent,
 * or a stall would hide the requests behind it.
 */
export async function readWhileIngesting(program: Program, blocks: number, reading: Reading): Promise<Served> {
  const { path, onIndexed = async () => {}, secondsAfter = 0 } = reading;
  const latencies: number[] = [];
  const pending: Promise<void>[] = [];
  let indexed = 0;
  let isOver = false;
  const read = async (due: number) => {
    const response = await fetch(`${program.url}${path(indexed)}`);
    await response.arrayBuffer();
    latencies.push(performance.now() - due);
  };
  // The status asks the node, which may be slow, so reads do not wait for it.
  const watch = async () => {
    for (; indexed < blocks - 1; await delay(1000)) {
      indexed = await indexedBlock(program.url);
      await onIndexed(indexed);
    }
    await delay(secondsAfter * 1000);
    isOver = true;
  };
  const watched = watch();
  const start = performance.now();
  for (let sent = 0; !isOver; sent++) {
    const due = start + (sent * 1000) / READS_PER_SECOND;
    await delay(Math.max(0, due - performance.now()));
    pending.push(read(due));
  }
  await Promise.all([watched, ...pending]);
  return {
    requests: latencies.length,
    p50Ms: percentile(latencies, 0.5),
    p99Ms: percentile(latencies, 0.99),
    maxMs: latencies.reduce((most, latency) => Math.max(most, latency), 0),
    peakRssMegabytes: program.peakRssMegabytes(),
  };
}

async function indexedBlock(url: string): Promise<number> {
  const status = (await (await fetch(`${url}/status`)).json()) as { indexed: { number: number } | null };
  return status.indexed?.number ?? 0;
}
