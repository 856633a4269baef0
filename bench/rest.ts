import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { FastifyInstance } from "fastify";
import { createApp } from "../src/api/app.ts";
import { toHex } from "../src/chain/encoding/hex.ts";
import { Upstream } from "../src/source/upstream.ts";
import { openStoreReadOnly } from "../src/store/openStore.ts";
import type { StoreReader } from "../src/store/storeReader.ts";
import { Random } from "../test/support/random.ts";
import { measureSearch } from "./search.ts";
import { BareRoute } from "./support/bare.ts";
import { LoadClient } from "./support/load.ts";
import { measure, percentile, printBars, printTable, writeResult } from "./support/measure.ts";
import { startProgram } from "./support/program.ts";
import { loadSteadily } from "./support/steadyLoad.ts";
import { BUSY } from "./support/syntheticBlocks.ts";
import { indexAll, repeat, TURNS, takeTurns, WIDTH } from "./support/turns.ts";
import { startUpstream } from "./support/upstream.ts";

/** Requests of a turn. */
const REQUESTS = 120;
/** Requests before any is measured: V8 compiles what is asked for often. */
const WARM_UP = 1500;
const PAGE = 50;
const REQUESTS_PER_SECOND = 200;

export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      blocks: { type: "string", default: "1150" },
      tokens: { type: "string", default: "100000" },
      seed: { type: "string", default: "1" },
    },
  });
  const [blocks, seed] = [Number(values.blocks), Number(values.seed)];
  console.log(`generating ${blocks} blocks of ${BUSY.transactions} transactions (seed ${seed})…`);
  const upstream = await startUpstream("busy", blocks, seed);
  const records = await measureRecords(upstream.url, new Random(seed));
  const busy = await measureBusy(upstream.url, blocks, new Random(seed));
  upstream.close();
  const searched = await measureSearch({ tokens: Number(values.tokens), seed });
  const result = { ...records, busy, searchP99Ms: searched.all.p99Ms, searchCpuP99Ms: searched.all.cpuP99Ms };
  report(result);
  const { transaction, page } = result;
  printBars([
    { what: "a transaction asked for again, of a bare route", value: 1 / transaction.again, atLeast: 0.5 },
    { what: "a page asked for again, of a bare route", value: 1 / page.again, atLeast: 0.5 },
    { what: "a transaction the first time, of a bare route", value: 1 / transaction.first, atLeast: 0.07 },
    { what: "a page the first time, of a bare route", value: 1 / page.first, atLeast: 0.07 },
    { what: "last page to first", value: result.lastPageMicroseconds / result.firstPageMicroseconds, atMost: 1.2 },
    { what: "p99 while it indexes, ms", value: busy.p99Ms, atMost: 50 },
    { what: "p99 of a search, ms", value: result.searchP99Ms, atMost: 20 },
  ]);
  writeResult("rest", { distribution: BUSY, ...result });
}

type Result = Records & { readonly busy: Busy; readonly searchP99Ms: number; readonly searchCpuP99Ms: number };

/** CPU per request to that of the bare route with such objects. */
interface Compared {
  /** Of requests that nobody made before. */
  readonly first: number;
  /** Of requests that were made before, with no block since. */
  readonly again: number;
  /** Microseconds of the bare route. */
  readonly bound: number;
  readonly bytes: number;
}

interface Records {
  /** Microseconds for the 50 rows of a page, and for 25 addresses that no other page has named. */
  readonly pageRows: number;
  /** Transactions of the address that has most. */
  readonly busiest: number;
  readonly transaction: Compared;
  readonly page: Compared;
  readonly firstPageMicroseconds: number;
  readonly lastPageMicroseconds: number;
}

async function measureRecords(rpc: string, random: Random): Promise<Records> {
  const directory = mkdtempSync(join(tmpdir(), "oriel-bench-"));
  const source = new Upstream({ url: rpc, chainId: 677 });
  await indexAll(directory, rpc);
  const reader = await openStoreReadOnly(directory);
  const app = createApp({ store: reader, source, settings: { version: "0", chainId: 677, chainName: "Bench" } });
  const client = new LoadClient();
  const records = await compareAll(reader, app, client, random);
  client.close();
  await app.close();
  await reader.close();
  await source.close();
  rmSync(directory, { recursive: true });
  return records;
}

async function compareAll(
  store: StoreReader,
  app: FastifyInstance,
  client: LoadClient,
  random: Random,
): Promise<Records> {
  const busiest = await busiestAddress(store);
  const list = `/api/v2/addresses/${busiest.address}/transactions`;
  const pages = Math.floor(busiest.count / PAGE);
  const origin = await app.listen({ port: 0, host: "127.0.0.1" });
  const hashes = await someHashes(store, random);
  const everyPage = Array.from({ length: pages }, (_, at) => `${list}?page=${at + 1}`);
  const measured = {
    transaction: await compare(
      origin,
      client,
      hashes.map((hash) => `/api/v2/transactions/${hash}`),
    ),
    page: await compare(origin, client, random.shuffle(everyPage)),
  };
  const ends = [1, pages].map((page) => (turn: number) => ({
    origin,
    paths: Array.from({ length: REQUESTS }, (_, at) => `${list}?page=${page}&n=${turn}.${at}`),
  }));
  const [first, last] = await takeTurns(client, ends);
  const pageRows = await readRows(store, random);
  return { busiest: busiest.count, ...measured, pageRows, firstPageMicroseconds: first!, lastPageMicroseconds: last! };
}

/** The least that a new page costs: its rows have to be read, whatever is then made of them. */
async function readRows(store: StoreReader, random: Random): Promise<number> {
  const { database } = store;
  const everyTransaction = (await database.all("SELECT position FROM tx")).flat() as number[];
  const everySender = (
    await database.all("SELECT owner FROM address_tx_tail WHERE length(sent) > 0")
  ).flat() as number[];
  const pages = Array.from({ length: 2 * WARM_UP }, () => {
    const at = random.int(everyTransaction.length - PAGE);
    const senders = Array.from({ length: PAGE / 2 }, () => random.pick(everySender));
    return { positions: everyTransaction.slice(at, at + PAGE), senders };
  });
  const read = async (some: typeof pages) => {
    for (const { positions, senders } of some) {
      await database.load("SELECT position, body FROM tx WHERE position IN ($keys)", positions);
      await database.load("SELECT id, hex(value) FROM address WHERE id IN ($keys)", senders);
    }
  };
  await read(pages.slice(WARM_UP));
  const { cpuMs } = await measure(() => read(pages.slice(0, WARM_UP)));
  return (cpuMs * 1000) / WARM_UP;
}

async function busiestAddress(store: StoreReader): Promise<{ address: string; count: number }> {
  const sql =
    "SELECT a.value, t.count FROM address_tx_tail t JOIN address a ON a.id = t.owner ORDER BY t.count DESC LIMIT 1";
  const [[address, count]] = (await store.database.all(sql)) as [[Uint8Array, number]];
  return { address: toHex(address), count };
}

async function someHashes(store: StoreReader, random: Random): Promise<string[]> {
  const tip = (await store.latest.blocks.tip())!;
  const list = store.latest.transactions.all(0, tip);
  const total = await list.count();
  const ordinals = new Set(Array.from({ length: WARM_UP + REQUESTS * (TURNS + 2) }, () => random.int(total)));
  const positions = await Promise.all([...ordinals].map(async (at) => (await list.slice(at, at + 1))[0]!));
  return (await store.latest.transactions.at(positions)).map(({ transaction }) => toHex(transaction.hash));
}

/** Beside a route that has objects of the same kind at hand and does nothing but stringify them. No path is given twice. */
async function compare(origin: string, client: LoadClient, paths: readonly string[]): Promise<Compared> {
  const [warming, fresh] = [paths.slice(0, WARM_UP), paths.slice(WARM_UP)];
  if (fresh.length < REQUESTS * (TURNS + 1)) throw new Error("too few for the comparison; more --blocks give more");
  await client.send({ origin, paths: warming, width: WIDTH });
  const known = warming.slice(-REQUESTS);
  const texts = await Promise.all(known.map(async (path) => (await fetch(origin + path)).text()));
  const bare = await BareRoute.start(texts);
  const baseline = { origin: bare.origin, paths: repeat(texts.map((_, at) => `/${at}`)), cpu: () => bare.cpu() };
  await client.send({ origin: bare.origin, paths: repeat(baseline.paths), width: WIDTH });
  const uncached = (turn: number) => ({ origin, paths: fresh.slice((turn + 1) * REQUESTS, (turn + 2) * REQUESTS) });
  const [first, bound] = await takeTurns(client, [uncached, () => baseline]);
  const [again, cachedBound] = await takeTurns(client, [() => ({ origin, paths: repeat(known) }), () => baseline]);
  bare.close();
  const bytes = texts.reduce((sum, text) => sum + text.length, 0) / texts.length;
  return { first: first! / bound!, again: again! / cachedBound!, bound: bound!, bytes };
}

interface Busy {
  readonly requests: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly p99MsByKind: Readonly<Record<string, number>>;
}

/** The whole program under a steady load while it indexes as fast as it can. */
async function measureBusy(rpc: string, blocks: number, random: Random): Promise<Busy> {
  const program = await startProgram(rpc);
  const isDone = async () => {
    const status = (await (await fetch(`${program.url}/status`)).json()) as { indexed: { number: number } | null };
    return (status.indexed?.number ?? 0) >= blocks - 1;
  };
  const { latencies } = await loadSteadily(program.url, { rate: REQUESTS_PER_SECOND, random, isDone });
  await program.stop();
  const all = [...latencies.values()].flat();
  const p99MsByKind = Object.fromEntries([...latencies].map(([kind, times]) => [kind, percentile(times, 0.99)]));
  return { requests: all.length, p50Ms: percentile(all, 0.5), p99Ms: percentile(all, 0.99), p99MsByKind };
}

function report({
  busiest,
  transaction,
  page,
  pageRows,
  firstPageMicroseconds,
  lastPageMicroseconds,
  busy,
  ...rest
}: Result): void {
  const cost = ({ first, again, bound, bytes }: Compared) =>
    `${(1 / again).toFixed(2)}, the first time ${(1 / first).toFixed(2)} (the bare route: ${bound.toFixed(0)} microseconds CPU, ${bytes.toFixed(0)} bytes)`;
  printTable("Of a bare route that stringifies such objects", [
    ["a transaction by its hash", cost(transaction)],
    [`a page of ${PAGE} transactions`, cost(page)],
    [
      "the same, if only its rows were read",
      `${(page.bound / (page.bound + pageRows)).toFixed(2)} (${pageRows.toFixed(0)} microseconds CPU for the rows)`,
    ],
  ]);
  printTable(`An address with ${busiest} transactions`, [
    ["last page to first", (lastPageMicroseconds / firstPageMicroseconds).toFixed(2)],
  ]);
  printTable(`${busy.requests} requests at ${REQUESTS_PER_SECOND}/s while the whole program indexes`, [
    ["p50", `${busy.p50Ms.toFixed(1)} ms`],
    ["p99", `${busy.p99Ms.toFixed(1)} ms`],
    ...Object.entries(busy.p99MsByKind).map(([kind, ms]) => [`p99, ${kind}`, `${ms.toFixed(1)} ms`] as const),
  ]);
  printTable("Search", [["p99", `${rest.searchP99Ms.toFixed(1)} ms (CPU ${rest.searchCpuP99Ms.toFixed(1)} ms)`]]);
}
