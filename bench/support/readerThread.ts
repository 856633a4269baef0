import { readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { parentPort, workerData } from "node:worker_threads";
import { openStoreReadOnly } from "../../src/store/openStore.ts";
import { AddressSpace } from "./addressSpace.ts";
import { percentile } from "./measure.ts";
import { threadCpu } from "./meteredDatabase.ts";
import type { ReadsTaken } from "./readsBeside.ts";
import { REALISTIC } from "./syntheticBlocks.ts";

/** Reads blocks and pages of transactions of addresses at a fixed rate, each counted from when it was due. */
const EVERY_MS = 20;
const PAGE = 50;
const { directory, seed } = workerData as { readonly directory: string; readonly seed: number };
const store = await openStoreReadOnly(directory);
const addresses = new AddressSpace(seed, REALISTIC.addresses);
let latencies: number[] = [];
let withoutWaits: number[] = [];
let isOver = false;

/** Milliseconds that this thread was ready to run and had no core. */
function waitedForCore(): number {
  if (process.platform !== "linux") return 0;
  return Number(readFileSync("/proc/thread-self/schedstat", "utf8").split(" ")[1]) / 1e6;
}

async function readBlock(): Promise<void> {
  await store.read(async (session) => {
    const tip = await session.blocks.tip();
    if (tip !== undefined) await session.blocks.byNumber(Math.floor(Math.random() * (tip.number + 1)));
  });
}

async function readPage(): Promise<void> {
  const address = addresses.at(Math.floor(addresses.count ** Math.random()) - 1);
  await store.read(async (session) => {
    const list = await session.addresses.transactionsOf(address);
    const count = await list.count();
    await session.transactions.at(await list.slice(Math.max(0, count - PAGE), count));
  });
}

parentPort!.on("message", (command: "take" | "stop") => {
  if (command === "stop") {
    isOver = true;
    return;
  }
  const longestMs = latencies.reduce((most, latency) => Math.max(most, latency), 0);
  const taken: ReadsTaken = {
    p99Ms: percentile(latencies, 0.99),
    longestMs,
    withCoreP99Ms: percentile(withoutWaits, 0.99),
    longestWithCoreMs: withoutWaits.reduce((most, latency) => Math.max(most, latency), 0),
    cpu: threadCpu(),
  };
  latencies = [];
  withoutWaits = [];
  parentPort!.postMessage(taken);
});

const start = performance.now();
let [before, waited] = [start, waitedForCore()];
for (let sent = 0; !isOver; sent++) {
  const due = start + sent * EVERY_MS;
  await delay(Math.max(0, due - performance.now()));
  await (sent % 2 === 0 ? readBlock() : readPage());
  const now = performance.now();
  latencies.push(now - due);
  // Of this read alone: one that was late delays those after it.
  const waitedSince = waitedForCore() - waited;
  withoutWaits.push(Math.max(0, now - Math.max(due, before) - waitedSince));
  before = now;
  waited += waitedSince;
}
await store.close();
parentPort!.close();
