import { mkdtempSync, rmSync, statSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { openStore } from "../src/store/openStore.ts";
import { emptyStore, startPostgres } from "../test/support/postgresServer.ts";
import { DelayProxy } from "./support/delayProxy.ts";
import { Feeding } from "./support/feeding.ts";
import type { Bar } from "./support/measure.ts";
import { percentile, printBars, printTable, writeResult } from "./support/measure.ts";
import { PostgresCosts } from "./support/postgresCosts.ts";
import type { ReadCost } from "./support/postgresReads.ts";
import { measureReads } from "./support/postgresReads.ts";
import type { Scaling } from "./support/serveScaling.ts";
import { measureScaling } from "./support/serveScaling.ts";
import { REALISTIC } from "./support/syntheticBlocks.ts";

/** Blocks at the head in each of the turns that the engines take, of which the first is not counted. */
const [HEAD_BLOCKS, HEAD_TURNS] = [10, 9];
/** Blocks at the head of a server whose responses are late, and by how many milliseconds. */
const [DELAYED_BLOCKS, DELAY] = [25, 25];
/** A quarter of the memory of a small server. The indexes of the tables fit, but not those and all tables. */
const SHARED_BUFFERS = "shared_buffers=256MB";
/** Two processes, the database and a client that asks them. */
const SCALING_CORES = 4;

/** PostgreSQL compared with COPY and with SQLite, on the same made blocks with all stages. */
export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: { transactions: { type: "string", default: "200000" }, seed: { type: "string", default: "1" } },
  });
  const [transactions, seed] = [Number(values.transactions), Number(values.seed)];
  const server = await startPostgres([SHARED_BUFFERS]);
  const proxy = await DelayProxy.open(server.url);
  const costs = await PostgresCosts.open(server.url);
  const directory = mkdtempSync(join(tmpdir(), "oriel-bench-"));
  const postgres = emptyStore(server.url);
  const delayed = `${proxy.url}${new URL(postgres).search}`;
  console.log(`feeding ${transactions} made transactions to SQLite and PostgreSQL (seed ${seed})…`);
  const written = await measureWrites({ directory, delayed, proxy, costs }, transactions, seed);
  const reads = await measureReads({ sqlite: directory, postgres, delayed, proxy }, seed);
  const scaling = await measureScaling(postgres, seed);
  proxy.close();
  await costs.close();
  await server.stop();
  rmSync(directory, { recursive: true });
  const result = { transactions, ...written, reads, scaling };
  report(result);
  printBars(barsOf(result));
  writeResult("postgres", { distribution: REALISTIC, ...result });
}

interface Writing {
  readonly directory: string;
  readonly delayed: string;
  readonly proxy: DelayProxy;
  readonly costs: PostgresCosts;
}

async function measureWrites({ directory, delayed, proxy, costs }: Writing, transactions: number, seed: number) {
  const blocks = Math.ceil(transactions / REALISTIC.transactions);
  const stores = { sqlite: await openStore(directory, 677), postgres: await openStore(delayed, 677) };
  const sqlite = new Feeding(stores.sqlite, seed);
  const postgres = new Feeding(stores.postgres, seed);
  const sqliteBackfill = await sqlite.backfill(blocks);
  let postgresBackfill = { cpuMs: 0, wallMs: 0 };
  const backendMs = await costs.backendCpu(async () => {
    postgresBackfill = await postgres.backfill(blocks);
  });
  const schema = `${new URL(delayed).searchParams.get("schema")}_index`;
  const bytes = await costs.bytes(schema);
  const copyMs = await costs.copyCpu(schema);
  const head = await compareAtHead(sqlite, postgres, costs);
  const roundTrips = await countRoundTrips(postgres, proxy);
  await Promise.all([stores.sqlite.close(), stores.postgres.close()]);
  return {
    backfill: { copyMs, backendMs, postgresMs: postgresBackfill.cpuMs, sqliteMs: sqliteBackfill.cpuMs },
    head: { ...head, roundTrips },
    bytes: { sqlite: statSync(join(directory, "index.sqlite")).size, tables: Object.fromEntries(bytes) },
  };
}

/** Milliseconds of CPU of a block: of the indexer, and of PostgreSQL's process. */
async function compareAtHead(sqlite: Feeding, postgres: Feeding, costs: PostgresCosts) {
  const sums = { sqliteMs: 0, postgresMs: 0, backendMs: 0 };
  for (let turn = 0; turn < HEAD_TURNS; turn++) {
    const fed = await sqlite.atHead(HEAD_BLOCKS);
    let own = fed;
    const backend = await costs.backendCpu(async () => {
      own = await postgres.atHead(HEAD_BLOCKS);
    });
    if (turn === 0) continue;
    sums.sqliteMs += fed.cpuMs;
    sums.postgresMs += own.cpuMs;
    sums.backendMs += backend;
  }
  const blocks = HEAD_BLOCKS * (HEAD_TURNS - 1);
  return {
    sqliteMs: sums.sqliteMs / blocks,
    postgresMs: sums.postgresMs / blocks,
    backendMs: sums.backendMs / blocks,
  };
}

/** Of a block: how often a delay of the server's responses delays it. */
async function countRoundTrips(postgres: Feeding, proxy: DelayProxy): Promise<number> {
  const times = async (delay: number) => {
    proxy.delay = delay;
    const taken: number[] = [];
    for (let at = 0; at < DELAYED_BLOCKS; at++) taken.push((await postgres.atHead(1)).wallMs);
    proxy.delay = 0;
    return percentile(taken, 0.5);
  };
  return ((await times(DELAY)) - (await times(0))) / (await proxy.calibrate(DELAY));
}

interface Result extends Awaited<ReturnType<typeof measureWrites>> {
  readonly transactions: number;
  readonly reads: readonly ReadCost[];
  readonly scaling: Scaling;
}

const bytesOf = ({ bytes }: Result) =>
  Object.values(bytes.tables).reduce((sum, { table, indexes }) => sum + table + indexes, 0);

function barsOf(result: Result): Bar[] {
  const { backfill, head, bytes, reads, scaling } = result;
  const bars: Bar[] = [
    { what: "backfill's backend CPU, of COPY with keys", value: backfill.backendMs / backfill.copyMs, atMost: 2 },
    { what: "CPU at the head, of SQLite's", value: (head.postgresMs + head.backendMs) / head.sqliteMs, atMost: 2 },
    { what: "round trips of a block at the head", value: head.roundTrips, atMost: 12 },
    { what: "bytes, of SQLite's", value: bytesOf(result) / bytes.sqlite, atMost: 2 },
    ...reads.flatMap(({ name, roundTrips, postgresMs, sqliteMs }) => [
      { what: `${name}: round trips`, value: roundTrips, atMost: name.startsWith("getLogs") ? 12 : 6 },
      { what: `${name}: latency, of SQLite's`, value: postgresMs / sqliteMs, atMost: 3 },
    ]),
  ];
  const canScale = availableParallelism() >= SCALING_CORES;
  if (canScale) bars.push({ what: "two serve processes, of one", value: scaling.two / scaling.one, atLeast: 1.5 });
  else console.log(`\n${availableParallelism()} cores are too few to judge two serve processes beside their database`);
  return bars;
}

const MAX_TABLES = 8;

function report(result: Result): void {
  const { transactions, backfill, head, bytes, reads, scaling } = result;
  const ms = (value: number) => `${value.toFixed(1)} ms`;
  printTable(`Backfill of ${transactions} transactions, CPU`, [
    ["COPY of the same rows with their keys", ms(backfill.copyMs)],
    ["backend of PostgreSQL", ms(backfill.backendMs)],
    ["indexer on PostgreSQL", ms(backfill.postgresMs)],
    ["indexer on SQLite", ms(backfill.sqliteMs)],
  ]);
  printTable(`A block of ${REALISTIC.transactions} transactions at the head, CPU`, [
    ["SQLite", ms(head.sqliteMs)],
    ["PostgreSQL: indexer", ms(head.postgresMs)],
    ["PostgreSQL: backend", ms(head.backendMs)],
    ["round trips", head.roundTrips.toFixed(1)],
  ]);
  const megabytes = (value: number) => `${(value / 2 ** 20).toFixed(1)} MB`;
  const largest = Object.entries(bytes.tables)
    .sort(([, a], [, b]) => b.table + b.indexes - a.table - a.indexes)
    .slice(0, MAX_TABLES);
  printTable("Bytes", [
    ["SQLite", megabytes(bytes.sqlite)],
    ["PostgreSQL", megabytes(bytesOf(result))],
    ...largest.map(
      ([name, { table, indexes }]) => [name, `${megabytes(table)}, indexes ${megabytes(indexes)}`] as const,
    ),
  ]);
  printTable(
    "Requests that nobody made before",
    reads.map(({ name, roundTrips, postgresMs, sqliteMs }) => [
      name,
      `${roundTrips.toFixed(1)} round trips, ${postgresMs.toFixed(2)} ms; SQLite ${sqliteMs.toFixed(2)} ms`,
    ]),
  );
  printTable("Requests per second", [
    ["one serve process", scaling.one.toFixed(0)],
    ["two serve processes", scaling.two.toFixed(0)],
  ]);
}
