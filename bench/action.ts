import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import { createApp } from "../src/api/app.ts";
import { toHex } from "../src/chain/encoding/hex.ts";
import { Upstream } from "../src/source/upstream.ts";
import { openStoreReadOnly } from "../src/store/openStore.ts";
import type { StoreReader } from "../src/store/storeReader.ts";
import { Random } from "../test/support/random.ts";
import { BareRoute } from "./support/bare.ts";
import { LoadClient } from "./support/load.ts";
import { percentile, printBars, printTable, writeResult } from "./support/measure.ts";
import type { NodeComparison } from "./support/nodeLogs.ts";
import { compareWithNode } from "./support/nodeLogs.ts";
import { BUSY } from "./support/syntheticBlocks.ts";
import { indexAll, median, takeTurns, WIDTH } from "./support/turns.ts";
import { startUpstream } from "./support/upstream.ts";

const ROWS = 1000;
const TURNS = 30;
/** Requests of a turn, each for a page that nobody asked for before. */
const REQUESTS = 6;
/** Requests before, as many as it takes V8 to have compiled what they run. */
const WARM_UP = 600;
const SCANS = 20;

const TRANSFER = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";
const LOGS = "/api?module=logs&action=getLogs&fromBlock=0&toBlock=latest";

export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      blocks: { type: "string", default: "1260" },
      "node-blocks": { type: "string", default: "10000" },
      seed: { type: "string", default: "1" },
    },
  });
  const [blocks, seed] = [Number(values.blocks), Number(values.seed)];
  console.log(`generating ${blocks} blocks of ${BUSY.transactions} transactions (seed ${seed})…`);
  const upstream = await startUpstream("busy", blocks, seed);
  const directory = mkdtempSync(join(tmpdir(), "oriel-bench-"));
  const source = new Upstream({ url: upstream.url, chainId: 677 });
  await indexAll(directory, upstream.url);
  const store = await openStoreReadOnly(directory);
  const app = createApp({ store, source, settings: { version: "0", chainId: 677, chainName: "Bench" } });
  const client = new LoadClient();
  const result = await measureAll(store, await app.listen({ port: 0, host: "127.0.0.1" }), client, new Random(seed));
  client.close();
  await app.close();
  await store.close();
  await source.close();
  upstream.close();
  rmSync(directory, { recursive: true });
  // Last, so that what a chain leaves in the heap is not swept at the cost of what is measured.
  console.log(`mining ${values["node-blocks"]} blocks on an embedded chain…`);
  const node = await compareWithNode(Number(values["node-blocks"]));
  report(result, node);
  writeResult("action", { distribution: BUSY, ...result, node });
}

type Result = Awaited<ReturnType<typeof measureAll>>;

async function measureAll(store: StoreReader, origin: string, client: LoadClient, random: Random) {
  const address = await busiest(store, "address_tx_tail");
  const emitter = await busiest(store, "address_log_tail");
  const [transfers] = (await store.database.all("SELECT max(count) FROM signature_log_tail")) as [[number]];
  const pages = (path: string, rows: number) =>
    random.shuffle(Array.from({ length: Math.floor(rows / ROWS) }, (_, at) => `${path}&offset=${ROWS}&page=${at + 1}`));
  const getLogs = await compare(origin, client, pages(`${LOGS}&topic0=${TRANSFER}`, transfers[0]));
  const txlist = await compare(
    origin,
    client,
    pages(`/api?module=account&action=txlist&address=${address.value}`, address.count),
  );
  return {
    logs: ((await store.latest.blocks.tip())?.totals.logs ?? 0) as number,
    getLogs,
    txlist,
    emitted: emitter.count,
    ...(await measureDepth(origin, client, emitter.value)),
    ...(await measureScans(origin, random)),
  };
}

async function busiest(store: StoreReader, tails: string): Promise<{ value: string; count: number }> {
  const sql = `SELECT a.value, t.count FROM ${tails} t JOIN address a ON a.id = t.owner ORDER BY t.count DESC LIMIT 1`;
  const [[value, count]] = (await store.database.all(sql)) as [[Uint8Array, number]];
  return { value: toHex(value), count };
}

/** CPU of the bare route that stringifies such objects, of that of a request that nobody made before. */
async function compare(origin: string, client: LoadClient, paths: readonly string[]) {
  const measured = REQUESTS * (TURNS + 1);
  if (paths.length < measured + REQUESTS) throw new Error(`${paths.length} pages are too few; more --blocks give more`);
  const [fresh, warming] = [paths.slice(0, measured), paths.slice(measured)];
  // As often as the bare route, of as many pages as there are, and no response is kept: no two requests are the same.
  const warm = Array.from({ length: WARM_UP }, (_, at) => `${warming[at % warming.length]}&n=${at}`);
  await client.send({ origin, paths: warm, width: WIDTH });
  const texts = await Promise.all(warming.slice(0, REQUESTS).map(async (path) => (await fetch(origin + path)).text()));
  const bare = await BareRoute.start(texts);
  const baseline = { origin: bare.origin, paths: texts.map((_, at) => `/${at}`), cpu: () => bare.cpu() };
  for (let i = 0; i < WARM_UP; i += REQUESTS) await client.send({ ...baseline, width: WIDTH });
  const uncached = (turn: number) => ({ origin, paths: fresh.slice((turn + 1) * REQUESTS, (turn + 2) * REQUESTS) });
  const [own, bound] = await takeTurns(client, [uncached, () => baseline], TURNS, median);
  bare.close();
  const bytes = texts.reduce((sum, text) => sum + text.length, 0) / texts.length;
  return { ofBare: bound! / own!, milliseconds: own! / 1000, bytes };
}

const DEEP_PAGE = 500;
const DEPTH_ROWS = 100;

/** Page 500 of the logs of an address and a signature to the first. */
async function measureDepth(origin: string, client: LoadClient, address: string) {
  const path = `${LOGS}&address=${address}&topic0=${TRANSFER}&offset=${DEPTH_ROWS}`;
  const ask = (page: number) => (turn: number) => ({
    origin,
    paths: Array.from({ length: 20 }, (_, at) => `${path}&page=${page}&n=${turn}.${at}`),
  });
  const deepest = (await (await fetch(`${origin}${path}&page=${DEEP_PAGE}`)).json()) as { result: unknown[] };
  if (deepest.result.length < DEPTH_ROWS) throw new Error(`page ${DEEP_PAGE} is not full; more --blocks fill it`);
  const [first, deep] = await takeTurns(client, [ask(1), ask(DEEP_PAGE)]);
  return { deepToFirst: deep! / first! };
}

/** Queries by a topic that no list is kept for look at all logs. Meanwhile others ask for something small. */
async function measureScans(origin: string, random: Random) {
  const [times, delays]: [number[], number[]] = [[], []];
  let isScanning = true;
  const others = (async () => {
    while (isScanning) {
      const start = performance.now();
      await (await fetch(`${origin}/api/v2/blocks/1?n=${delays.length}`)).text();
      delays.push(performance.now() - start);
      await delay(5);
    }
  })();
  for (let scan = 0; scan < SCANS; scan++) {
    const topic = `0x${Array.from({ length: 64 }, () => random.int(16).toString(16)).join("")}`;
    const start = performance.now();
    const { message } = (await (await fetch(`${origin}${LOGS}&topic1=${topic}`)).json()) as { message: string };
    times.push(performance.now() - start);
    if (message !== "No records found") throw new Error(`a query that looks at all logs: ${message}`);
  }
  isScanning = false;
  await others;
  return { scanP99Ms: percentile(times, 0.99), maxDelayMs: Math.max(...delays) };
}

function report(result: Result, { blocks, rows, ours, node }: NodeComparison): void {
  const { logs, getLogs, txlist, emitted, deepToFirst, scanP99Ms, maxDelayMs } = result;
  const cost = ({ ofBare, milliseconds, bytes }: Result["getLogs"]) =>
    `${ofBare.toFixed(2)} (${milliseconds.toFixed(1)} ms CPU, ${(bytes / 1000).toFixed(0)} kB)`;
  printTable(`${ROWS} rows the first time, of a bare route that stringifies such objects`, [
    ["getLogs by topic0", cost(getLogs)],
    ["txlist", cost(txlist)],
  ]);
  printTable(`An address that emitted ${emitted} logs`, [[`page ${DEEP_PAGE} to page 1`, deepToFirst.toFixed(2)]]);
  printTable(`${rows} logs of ${blocks} blocks of an embedded chain, median of CPU`, [
    ["getLogs", `${ours.toFixed(1)} ms`],
    ["the node's eth_getLogs", `${node.toFixed(1)} ms`],
  ]);
  printTable(`A query that looks at all ${logs} logs`, [
    ["p99", `${scanP99Ms.toFixed(0)} ms`],
    ["longest other request meanwhile", `${maxDelayMs.toFixed(1)} ms`],
  ]);
  printBars([
    { what: "getLogs of 1,000 rows, of a bare route", value: getLogs.ofBare, atLeast: 0.25 },
    { what: "txlist of 1,000 rows, of a bare route", value: txlist.ofBare, atLeast: 0.25 },
    { what: "times as fast as the embedded node's eth_getLogs", value: node / ours, atLeast: 3 },
    { what: `page ${DEEP_PAGE} by address and topic0 to the first`, value: deepToFirst, atMost: 1.3 },
    { what: "logs that a query without an index looks at", value: logs, atLeast: 1_000_000 },
    { what: "p99 of such a query, ms", value: scanP99Ms, atMost: 1000 },
    { what: "longest other request meanwhile, ms", value: maxDelayMs, atMost: 50 },
  ]);
}
