import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { createApp } from "../src/api/app.ts";
import { toHex } from "../src/chain/encoding/hex.ts";
import { Upstream } from "../src/source/upstream.ts";
import { openStoreReadOnly } from "../src/store/openStore.ts";
import type { StoreReader } from "../src/store/storeReader.ts";
import { findChromium, launchChromium } from "../test/support/browser.ts";
import { LoadClient } from "./support/load.ts";
import { percentile, printBars, printTable, writeResult } from "./support/measure.ts";
import { BUSY } from "./support/syntheticBlocks.ts";
import { indexAll, TURNS, takeTurns, WIDTH } from "./support/turns.ts";
import { startUpstream } from "./support/upstream.ts";

/** Requests of a turn, and pages of a list that take turns. */
const REQUESTS = 60;
const PAGE = 50;
const LOADS = 5;

const SETTINGS = { version: "0", chainId: 677, chainName: "Bench", web: { coin: "ETH", isTestnet: false, others: [] } };

/** Pages beside the JSON of the same data, and what a browser makes of them. */
export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: { blocks: { type: "string", default: "300" }, seed: { type: "string", default: "1" } },
  });
  const [blocks, seed] = [Number(values.blocks), Number(values.seed)];
  console.log(`generating ${blocks} blocks of ${BUSY.transactions} transactions (seed ${seed})…`);
  const upstream = await startUpstream("busy", blocks, seed);
  const directory = mkdtempSync(join(tmpdir(), "oriel-bench-"));
  const source = new Upstream({ url: upstream.url, chainId: 677 });
  await indexAll(directory, upstream.url);
  const store = await openStoreReadOnly(directory);
  const app = createApp({ store, source, settings: SETTINGS });
  const origin = await app.listen({ port: 0, host: "127.0.0.1" });
  const speed = await compareSpeed(store, origin);
  const weights = await measurePageBytes(store, origin);
  await app.close();
  await store.close();
  await source.close();
  upstream.close();
  rmSync(directory, { recursive: true });
  report(speed, weights);
  writeResult("web", { distribution: BUSY, speed, weights });
}

type Speed = Awaited<ReturnType<typeof compareSpeed>>;

/** Microseconds of CPU of a page and of its JSON, of what nobody asked for before. */
async function compareSpeed(store: StoreReader, origin: string) {
  const client = new LoadClient();
  const hashes = await someHashes(store, REQUESTS * (TURNS + 2));
  const some = (turn: number) => hashes.slice((turn + 1) * REQUESTS, (turn + 2) * REQUESTS);
  const pages = (turn: number) => Array.from({ length: REQUESTS }, (_, at) => (turn + 1) * REQUESTS + at + 1);
  const kinds = [
    (turn: number) => some(turn).map((hash) => `/tx/${hash}`),
    (turn: number) => some(turn).map((hash) => `/api/v2/transactions/${hash}`),
    (turn: number) => pages(turn).map((page) => `/txs?page=${page}`),
    (turn: number) => pages(turn).map((page) => `/api/v2/transactions?page=${page}&page_size=${PAGE}`),
  ];
  for (const paths of kinds) await client.send({ origin, paths: paths(-1), width: WIDTH });
  const costs = await takeTurns(
    client,
    kinds.map((paths) => (turn: number) => ({ origin, paths: paths(turn) })),
  );
  client.close();
  const [transaction, transactionJson, list, listJson] = costs as [number, number, number, number];
  return { transaction, transactionJson, list, listJson };
}

async function someHashes(store: StoreReader, count: number): Promise<string[]> {
  const tip = (await store.latest.blocks.tip())!;
  const list = store.latest.transactions.all(0, tip);
  const step = Math.floor((await list.count()) / count);
  if (step < 1) throw new Error("too few transactions; more --blocks give more");
  const positions = await Promise.all(Array.from({ length: count }, (_, at) => list.slice(at * step, at * step + 1)));
  return (await store.latest.transactions.at(positions.flat())).map(({ transaction }) => toHex(transaction.hash));
}

interface Weight {
  readonly path: string;
  /** Compressed bytes that a browser with an empty cache loads. */
  readonly kilobytes: number;
  readonly paintMs: number;
}

/** Undefined where there is no Chromium. */
async function measurePageBytes(store: StoreReader, origin: string): Promise<readonly Weight[] | undefined> {
  const chromium = await findChromium();
  if (typeof chromium === "string") return undefined;
  const browser = await launchChromium(chromium.path);
  const [hash] = await someHashes(store, 1);
  const { from } = (await (await fetch(`${origin}/api/v2/transactions/${hash}`)).json()) as { from: { hash: string } };
  const { items } = (await (await fetch(`${origin}/api/v2/tokens`)).json()) as { items: { address: string }[] };
  const token = items[0]?.address;
  const paths = ["/", "/blocks", "/txs", `/tx/${hash}`, `/address/${from.hash}`, "/tokens", `/token/${token}`];
  const weights: Weight[] = [];
  for (const path of paths) {
    const loads: Weight[] = [];
    for (let load = 0; load < LOADS; load++) {
      const context = await browser.newContext();
      const page = await context.newPage();
      const session = await context.newCDPSession(page);
      await session.send("Network.enable");
      let bytes = 0;
      session.on("Network.loadingFinished", ({ encodedDataLength }) => {
        bytes += encodedDataLength;
      });
      await page.goto(`${origin}${path}`, { waitUntil: "networkidle" });
      const paintMs = await page.evaluate<number>(
        "performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? NaN",
      );
      loads.push({ path, kilobytes: bytes / 1000, paintMs });
      await context.close();
    }
    const paints = loads.map(({ paintMs }) => paintMs);
    weights.push({ ...loads[0]!, paintMs: percentile(paints, 0.5) });
  }
  await browser.close();
  return weights;
}

function report(speed: Speed, weights: readonly Weight[] | undefined): void {
  const us = (value: number) => `${value.toFixed(0)} us of CPU`;
  printTable("First requests", [
    ["a transaction, its page", us(speed.transaction)],
    ["a transaction, its JSON", us(speed.transactionJson)],
    [`${PAGE} transactions, the page`, us(speed.list)],
    [`${PAGE} transactions, the JSON`, us(speed.listJson)],
  ]);
  const speedBars = [
    { what: "page of a transaction, of its JSON", value: speed.transactionJson / speed.transaction, atLeast: 0.5 },
    { what: `page of ${PAGE}, of its JSON`, value: speed.listJson / speed.list, atLeast: 0.5 },
  ];
  if (weights === undefined) {
    console.log("\nThere is no Chromium on this machine: pages are not weighed.");
    printBars(speedBars);
    return;
  }
  printTable(
    "In Chromium, with nothing kept",
    weights.map(({ path, kilobytes, paintMs }) => [
      path.slice(0, 20),
      `${kilobytes.toFixed(1)} kB, first paint after ${paintMs.toFixed(0)} ms`,
    ]),
  );
  printBars([
    ...speedBars,
    { what: "heaviest page, kB", value: Math.max(...weights.map(({ kilobytes }) => kilobytes)), atMost: 60 },
    { what: "latest first paint, ms", value: Math.max(...weights.map(({ paintMs }) => paintMs)), atMost: 300 },
  ]);
}
