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
let isOver = false;

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
  const taken: ReadsTaken = { p99Ms: percentile(latencies, 0.99), longestMs, cpu: threadCpu() };
  latencies = [];
  parentPort!.postMessage(taken);
});

const start = performance.now();
for (let sent = 0; !isOver; sent++) {
  const due = start + sent * EVERY_MS;
  await delay(Math.max(0, due - performance.now()));
  await (sent % 2 === 0 ? readBlock() : readPage());
  latencies.push(performance.now() - due);
}
await store.close();
parentPort!.close();
