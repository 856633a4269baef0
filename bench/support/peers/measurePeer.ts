import { setTimeout as delay } from "node:timers/promises";
import type { Balances } from "./balances.ts";
import { compareBalances } from "./balances.ts";
import type { Peer, PeerPlace, RunningPeer } from "./peer.ts";
import { ProcessTree } from "./processTree.ts";

export interface PeerResult {
  readonly cpuMs: number;
  readonly wallMs: number;
  readonly peakMegabytes: number;
  readonly databaseBytes: number;
  /** What is wrong about the balances; undefined if it has none. */
  readonly wrong: readonly string[] | undefined;
  readonly failure?: string;
}

interface Work extends PeerPlace {
  readonly expected: Balances;
  /** After which it has failed. */
  readonly minutes: number;
}

const POLL = 1000;

/** Lets a program index everything that there is. */
export async function measurePeer(peer: Peer, work: Work): Promise<PeerResult> {
  const began = performance.now();
  const running = await peer.start(work);
  const tree = new ProcessTree(...running.roots);
  try {
    const failure = await untilIndexed(running, work);
    const measured = {
      cpuMs: tree.cpuMs(),
      wallMs: performance.now() - began,
      peakMegabytes: tree.peakMegabytes(),
    };
    if (failure !== undefined) return { ...measured, databaseBytes: Number.NaN, wrong: undefined, failure };
    const databaseBytes = await running.databaseBytes();
    const wrong = peer.expects === undefined ? undefined : await compare(running, peer.expects(work.expected));
    return { ...measured, databaseBytes, wrong };
  } finally {
    tree.close();
    await running.stop();
  }
}

async function untilIndexed(running: RunningPeer, { last, minutes }: Work): Promise<string | undefined> {
  const deadline = performance.now() + minutes * 60_000;
  let indexed: number | undefined;
  while (performance.now() < deadline) {
    indexed = await running.indexed();
    if ((indexed ?? -1) >= last) return undefined;
    const failure = running.failure();
    if (failure !== undefined) return failure;
    await delay(POLL);
  }
  return `after ${minutes} minutes it had indexed up to ${indexed ?? "nothing"} of ${last}`;
}

async function compare(running: RunningPeer, expected: Balances): Promise<string[]> {
  return compareBalances(expected, await running.balances());
}
