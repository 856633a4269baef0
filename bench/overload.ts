import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import { LoadClient } from "./support/load.ts";
import { percentile, printBars, printTable, writeResult } from "./support/measure.ts";
import { sendOpenLoad } from "./support/openLoad.ts";
import { startProgram } from "./support/program.ts";
import { BUSY } from "./support/syntheticBlocks.ts";
import { startUpstream } from "./support/upstream.ts";

/** Requests under way at once while the capacity is measured. */
const WIDTH = 32;
const WARM_UP = 500;
const CAPACITY_REQUESTS = 1500;
const PAGE_SIZE = 200;
/** Light requests a second, whoever else asks. */
const LIGHT_RATE = 50;
/** Milliseconds after which nobody waits for a response any more. */
const USEFUL_WITHIN = 2000;
/** Milliseconds within which a list is answered when nobody else asks, with room for noise. */
const NORMAL = 100;

/** Goodput at several times the capacity. */
export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      blocks: { type: "string", default: "300" },
      times: { type: "string", default: "5" },
      seconds: { type: "string", default: "15" },
      seed: { type: "string", default: "1" },
    },
  });
  const [blocks, times, seconds, seed] = [values.blocks, values.times, values.seconds, values.seed].map(Number) as [
    number,
    number,
    number,
    number,
  ];
  console.log(`generating ${blocks} blocks of ${BUSY.transactions} transactions (seed ${seed})…`);
  const upstream = await startUpstream("busy", blocks, seed);
  const program = await startProgram(upstream.url);
  await untilIndexed(program.url, blocks);
  const paths = await listPaths(program.url);
  const capacity = await measureCapacity(program.url, paths);
  const light = probe(program.url, ["/health", "/api/v2/blocks/1", "/api/v2/blocks/2?n="]);
  const load = await sendOpenLoad({ origin: program.url, paths, rate: Math.round(capacity * times), seconds });
  const latencies = await light.stop();
  const recoveryMs = load.drainMs + (await measureRecovery(program.url, paths));
  await program.stop();
  upstream.close();
  const useful = load.served.filter((milliseconds) => milliseconds <= USEFUL_WITHIN).length;
  const result = {
    capacity,
    offered: capacity * times,
    goodput: useful / seconds,
    statuses: load.statuses,
    servedP50Ms: percentile(load.served, 0.5),
    servedP99Ms: percentile(load.served, 0.99),
    refusedP99Ms: percentile(load.refused, 0.99),
    lightP50Ms: percentile(latencies, 0.5),
    lightP99Ms: percentile(latencies, 0.99),
    lightFailures: light.failures(),
    recoveryMs,
  };
  report(result);
  printBars([
    { what: "goodput to capacity", value: result.goodput / capacity, atLeast: 0.8 },
    { what: "p99 of light requests, ms", value: result.lightP99Ms, atMost: 250 },
    { what: "light requests that failed", value: result.lightFailures, atMost: 0 },
    { what: "requests without any response", value: load.statuses[0] ?? 0, atMost: 0 },
    { what: "back to normal after, s", value: recoveryMs / 1000, atMost: 2 },
  ]);
  writeResult("overload", result);
}

async function untilIndexed(origin: string, blocks: number): Promise<void> {
  for (;;) {
    const response = await fetch(`${origin}/api/v2/main-page/blocks?page_size=1`);
    const { items = [] } = (await response.json()) as { items?: { height: number }[] };
    if ((items[0]?.height ?? 0) >= blocks - 1) return;
    await delay(200);
  }
}

/** Pages of all transactions. */
async function listPaths(origin: string): Promise<string[]> {
  const first = `/api/v2/transactions?page_size=${PAGE_SIZE}`;
  const { total_pages: pages } = (await (await fetch(`${origin}${first}`)).json()) as { total_pages: number };
  return Array.from({ length: pages }, (_, at) => `${first}&page=${at + 1}`);
}

/** Lists a second that are answered when there is always one to work on. */
async function measureCapacity(origin: string, paths: readonly string[]): Promise<number> {
  const client = new LoadClient();
  const numbered = (count: number, name: string) =>
    Array.from({ length: count }, (_, at) => `${paths[at % paths.length]}&${name}=${at}`);
  await client.send({ origin, paths: numbered(WARM_UP, "w"), width: WIDTH });
  const wallMs = await client.send({ origin, paths: numbered(CAPACITY_REQUESTS, "c"), width: WIDTH });
  client.close();
  return (CAPACITY_REQUESTS * 1000) / wallMs;
}

/** Asks for what is cheap at a fixed rate, until it is stopped. */
function probe(origin: string, paths: readonly string[]) {
  const latencies: number[] = [];
  let [isOver, failures] = [false, 0];
  const ask = async (at: number, due: number) => {
    const path = paths[at % paths.length]!;
    const response = await fetch(`${origin}${path}${path.endsWith("=") ? at : ""}`).catch(() => undefined);
    await response?.text();
    if (response?.status !== 200) failures++;
    latencies.push(performance.now() - due);
  };
  const run = async () => {
    const pending: Promise<void>[] = [];
    const start = performance.now();
    for (let at = 0; !isOver; at++) {
      const due = start + (at * 1000) / LIGHT_RATE;
      await delay(Math.max(0, due - performance.now()));
      pending.push(ask(at, due));
    }
    await Promise.all(pending);
  };
  const running = run();
  return {
    failures: () => failures,
    async stop() {
      isOver = true;
      await running;
      return latencies;
    },
  };
}

/** Milliseconds until ten lists in a row are answered as if nothing had been. */
async function measureRecovery(origin: string, paths: readonly string[]): Promise<number> {
  const start = performance.now();
  for (let [at, inRow] = [0, 0]; inRow < 10; at++) {
    const began = performance.now();
    const response = await fetch(`${origin}${paths[at % paths.length]}&r=${at}`);
    await response.text();
    inRow = response.status === 200 && performance.now() - began < NORMAL ? inRow + 1 : 0;
    if (performance.now() - start > 60_000) return Number.NaN;
  }
  return performance.now() - start;
}

function report(result: Readonly<Record<string, unknown>>): void {
  const shown = (value: unknown) => (typeof value === "number" ? value.toFixed(1) : JSON.stringify(value));
  printTable(
    "Overload",
    Object.entries(result).map(([name, value]) => [name, shown(value)] as const),
  );
}
