import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { Bar } from "./support/measure.ts";
import { printBars, printTable, writeResult } from "./support/measure.ts";
import type { OwnerPages } from "./support/ownerPages.ts";
import { measureOwnerPages } from "./support/ownerPages.ts";
import type { ProgramGrowth } from "./support/programGrowth.ts";
import { growProgram } from "./support/programGrowth.ts";
import type { Window } from "./support/storeGrowth.ts";
import { growStore } from "./support/storeGrowth.ts";

const TENTHS = 10;

/** Cost of indexing as the chain grows: generated blocks fed to the store, and a node's blocks to the whole program. */
export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      transactions: { type: "string", default: "20000000" },
      program: { type: "string", default: "4000000" },
      stages: { type: "string", default: "core" },
      seed: { type: "string", default: "1" },
    },
  });
  const seed = Number(values.seed);
  const tokens = parseStages(values.stages);
  const bars: Bar[] = [];
  const store = Number(values.transactions) > 0 ? await measureStore(Number(values.transactions), seed, tokens) : null;
  if (store !== null) bars.push(...barsOfStore(store.tenths, store.pages));
  const program = Number(values.program) > 0 ? await growProgram(Number(values.program), seed, tokens) : null;
  if (program !== null) {
    reportProgram(program);
    bars.push(...barsOfProgram(program));
  }
  printBars(bars);
  const asObject = (tenth: Window) => ({
    ...tenth,
    pagesByTable: Object.fromEntries(tenth.pagesByTable ?? []),
    cpuByTable: Object.fromEntries(tenth.cpuByTable),
  });
  writeResult("growth", {
    stages: values.stages,
    store: store && { ...store, tenths: store.tenths.map(asObject) },
    program,
  });
}

function parseStages(stages: string): boolean {
  if (stages === "core" || stages === "all") return stages === "all";
  throw new Error(`--stages is core or all, not ${stages}`);
}

async function measureStore(transactions: number, seed: number, tokens: boolean) {
  const directory = mkdtempSync(join(tmpdir(), "oriel-bench-"));
  console.log(`feeding ${transactions} made transactions to the store (seed ${seed})…\n`);
  console.log(`  ${COLUMNS.map(([name]) => name.padStart(WIDTH)).join(" ")}`);
  const tenths: Window[] = [];
  const options = { directory, transactions, windows: TENTHS, seed, tokens };
  const store = await growStore(options, (window) => {
    tenths.push(window);
    console.log(`  ${COLUMNS.map(([, show]) => show(window).padStart(WIDTH)).join(" ")}`);
  });
  const pages = await measureOwnerPages(store, seed);
  await store.close();
  rmSync(directory, { recursive: true });
  reportTables(tenths);
  reportPages(pages);
  return { transactions, tenths, pages };
}

const WIDTH = 9;

const encoding = ({ cpu, lookups, inserts, commits, helpers }: Window) => cpu - lookups - inserts - commits - helpers;

/** Microseconds of CPU, bytes and pages of a transaction; the most of a tenth for the rest. */
const COLUMNS: readonly (readonly [name: string, show: (window: Window) => string])[] = [
  ["tx, M", ({ transactions }) => (transactions / 1e6).toFixed(2)],
  ["CPU, us", ({ cpu }) => cpu.toFixed(1)],
  ["lookups", ({ lookups }) => lookups.toFixed(2)],
  ["inserts", ({ inserts }) => inserts.toFixed(2)],
  ["commits", ({ commits }) => commits.toFixed(2)],
  ["helpers", ({ helpers }) => helpers.toFixed(2)],
  ["rest", (window) => encoding(window).toFixed(2)],
  ["bytes", ({ bytes }) => bytes.toFixed(0)],
  ["WAL pages", ({ pages }) => pages.toFixed(2)],
  ["commit ms", ({ longestCommitMs }) => longestCommitMs.toFixed(0)],
  ["WAL, MB", ({ walMegabytes }) => walMegabytes.toFixed(0)],
  ["read p99", ({ readP99Ms }) => readP99Ms.toFixed(0)],
  ["longest", ({ longestReadMs }) => longestReadMs.toFixed(0)],
  ["with core", ({ withCoreP99Ms }) => withCoreP99Ms.toFixed(1)],
  ["longest", ({ longestWithCoreMs }) => longestWithCoreMs.toFixed(0)],
  ["heap", ({ heapMegabytes }) => heapMegabytes.toFixed(0)],
  ["buffers", ({ bufferMegabytes }) => bufferMegabytes.toFixed(0)],
  ["RSS, MB", ({ rssMegabytes }) => rssMegabytes.toFixed(0)],
];

/** Costs are compared with those at one million transactions, where the caches are full; of fewer with the first tenth. */
const REFERENCE = 1_000_000;

function barsOfStore(tenths: readonly Window[], pages: OwnerPages): Bar[] {
  const last = tenths.at(-1)!;
  const first =
    last.transactions > 2 * REFERENCE ? tenths.find((tenth) => tenth.transactions >= REFERENCE)! : tenths[0]!;
  const slowest = Math.max(pages.first, pages.middle, pages.last);
  return [
    {
      what: `CPU of a transaction, last tenth to that up to ${(first.transactions / 1e6).toFixed(1)} M`,
      value: last.cpu / first.cpu,
      atMost: 1.15,
    },
    { what: "bytes of a transaction, the same", value: last.bytes / first.bytes, atMost: 1.05 },
    {
      what: "RSS of the store, MB",
      value: Math.max(...tenths.map(({ rssMegabytes }) => rssMegabytes)),
      atMost: 500,
    },
    { what: "p99 of a read beside it, ms", value: Math.max(...tenths.map(({ readP99Ms }) => readP99Ms)), atMost: 50 },
    {
      what: "the same without waiting for a core, ms",
      value: Math.max(...tenths.map(({ withCoreP99Ms }) => withCoreP99Ms)),
      atMost: 50,
    },
    { what: "slowest page of a huge owner, to that of small ones", value: slowest / pages.small, atMost: 1.3 },
  ];
}

const MAX_TABLES = 12;

function reportTables(tenths: readonly Window[]): void {
  const [first, last] = [tenths[0]!.pagesByTable, tenths.at(-1)!.pagesByTable];
  const rows = [...(last ?? [])]
    .slice(0, MAX_TABLES)
    .map(([table, pages]) => [table, `${first?.get(table) ?? 0} ${pages}`] as const);
  printTable("Pages that a commit writes, by table, at the end of the first and the last tenth", rows);
  const [early, late] = [tenths[0]!.cpuByTable, tenths.at(-1)!.cpuByTable];
  const costs = [...late].sort(([, a], [, b]) => b - a).slice(0, 2 * MAX_TABLES);
  printTable(
    "CPU of a transaction by table in the first and the last tenth, us",
    costs.map(([table, cpu]) => [table, `${(early.get(table) ?? 0).toFixed(2)} ${cpu.toFixed(2)}`] as const),
  );
}

function reportPages({ entries, first, middle, last, small }: OwnerPages): void {
  printTable(`Pages of 50 transactions, median; the huge owner has ${entries}`, [
    ["of small owners", `${small.toFixed(0)} us`],
    ["first of the huge owner", `${first.toFixed(0)} us`],
    ["middle", `${middle.toFixed(0)} us`],
    ["last", `${last.toFixed(0)} us`],
  ]);
}

const ofBound = ({ boundMs, cpuMs }: { readonly boundMs: number; readonly cpuMs: number }) => boundMs / cpuMs;

function barsOfProgram({ tenths, served }: ProgramGrowth): Bar[] {
  const [second, last] = [tenths[1], tenths.at(-1)!];
  const kept = second === undefined ? Number.NaN : ofBound(last) / ofBound(second);
  return [
    { what: "last tenth to second, of the bound", value: kept, atLeast: 0.9 },
    { what: "peak RSS of the program, MB", value: served.peakRssMegabytes, atMost: 450 },
    { what: "p99 of a read, ms", value: served.p99Ms, atMost: 50 },
  ];
}

function reportProgram({ blocks, tenths, served, waitForCore }: ProgramGrowth): void {
  const byTenth = (show: (tenth: ProgramGrowth["tenths"][number]) => string) => tenths.map(show).join(" ");
  printTable(`The whole program: ${blocks} blocks, ${served.requests} reads meanwhile`, [
    ["of the bound (fetch + JSON.parse)", byTenth((tenth) => ofBound(tenth).toFixed(2))],
    ["CPU of a block, ms", byTenth(({ cpuMs }) => cpuMs.toFixed(1))],
    ["RSS at the end of each tenth, MB", byTenth(({ rssMegabytes }) => rssMegabytes.toFixed(0))],
    ["main thread without a core, of the time", waitForCore.toFixed(2)],
    ["peak RSS, MB", served.peakRssMegabytes.toFixed(0)],
    [
      "p50, p99 and longest of the reads, ms",
      [served.p50Ms, served.p99Ms, served.maxMs].map((ms) => ms.toFixed(1)).join(" "),
    ],
  ]);
}
