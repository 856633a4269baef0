import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import { Ingestion } from "./support/ingestion.ts";
import { percentile, printBars, printTable, writeResult } from "./support/measure.ts";
import { startProgram } from "./support/program.ts";
import { ADVERSARIAL, REALISTIC } from "./support/syntheticBlocks.ts";
import { startUpstream } from "./support/upstream.ts";

/** The index with tokens and the one without take turns, so that a slower while of the machine is slower for both. */
const TURNS = 20;

export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      blocks: { type: "string", default: "1500" },
      holders: { type: "string", default: "105000" },
      seed: { type: "string", default: "1" },
    },
  });
  const [blocks, seed] = [Number(values.blocks), Number(values.seed)];
  console.log(`generating ${blocks} blocks of ${REALISTIC.transactions} transactions (seed ${seed})…`);
  const upstream = await startUpstream("realistic", blocks, seed);
  const cost = await measureCost(upstream.url, blocks);
  const peakRssMegabytes = await peakRss(upstream.url, blocks);
  upstream.close();
  const perBlock = ADVERSARIAL.transactions * ADVERSARIAL.logs;
  const crowd = await startUpstream("adversarial", Math.ceil(Number(values.holders) / perBlock) + 1, seed);
  const pages = await measurePages(crowd.url);
  crowd.close();
  const result = { ...cost, peakRssMegabytes, pages };
  report(result);
  const { holdersMs, transfersMs } = pages;
  printBars([
    { what: "tokens to core, CPU", value: cost.tokensMsPerBlock / cost.coreMsPerBlock, atMost: 0.8 },
    { what: "bytes per transfer", value: cost.bytesPerTransfer, atMost: 200 },
    { what: "peak RSS, MB", value: peakRssMegabytes, atMost: 500 },
    { what: "deepest page of holders to the first", value: slowest(holdersMs) / holdersMs.first, atMost: 5 },
    { what: "deepest page of transfers to the first", value: slowest(transfersMs) / transfersMs.first, atMost: 1.3 },
  ]);
  writeResult("tokens", { distribution: { REALISTIC, ADVERSARIAL }, ...result });
}

const slowest = (depths: Depths) => Math.max(...Object.values(depths));

interface Cost {
  readonly coreMsPerBlock: number;
  readonly tokensMsPerBlock: number;
  readonly bytesPerTransfer: number;
}

async function measureCost(url: string, blocks: number): Promise<Cost> {
  const core = await Ingestion.begin(url, blocks, { tokens: false });
  const both = await Ingestion.begin(url, blocks, { tokens: true });
  let [coreMs, bothMs] = [0, 0];
  for (let turn = 1; turn <= TURNS; turn++) {
    const to = Math.round((blocks * turn) / TURNS);
    coreMs += (await core.advance(to)).cpuMs;
    bothMs += (await both.advance(to)).cpuMs;
  }
  const [without, with_] = [await core.finish(), await both.finish()];
  const transfers = without.transactions * REALISTIC.logs * REALISTIC.transfers;
  return {
    coreMsPerBlock: coreMs / blocks,
    tokensMsPerBlock: (bothMs - coreMs) / blocks,
    bytesPerTransfer: (with_.bytes - without.bytes) / transfers,
  };
}

async function peakRss(rpc: string, blocks: number): Promise<number> {
  const program = await startProgram(rpc);
  await indexed(program.url, blocks - 1);
  const peak = program.peakRssMegabytes();
  await program.stop();
  return peak;
}

interface Pages {
  readonly holders: number;
  readonly transfers: number;
  /** Median milliseconds of a page, by how deep it lies. */
  readonly holdersMs: Depths;
  readonly transfersMs: Depths;
}

type Depths = Readonly<Record<"first" | "quarter" | "middle" | "last", number>>;

async function measurePages(rpc: string): Promise<Pages> {
  const program = await startProgram(rpc);
  await indexed(program.url, Number(await ask<string>(rpc, "eth_blockNumber")));
  const receipts = await ask<{ logs: { address: string }[] }[]>(rpc, "eth_getBlockReceipts", "0x1");
  const token = `${program.url}/api/v2/tokens/${receipts[0]!.logs[0]!.address}`;
  const holders = await measureDepths(`${token}/holders`);
  const transfers = await measureDepths(`${token}/transfers`);
  await program.stop();
  return { holders: holders.total, transfers: transfers.total, holdersMs: holders.ms, transfersMs: transfers.ms };
}

const ROUNDS = 200;

/** Pages of every depth in turn, over and over. */
async function measureDepths(url: string): Promise<{ total: number; ms: Depths }> {
  const { total_count: total, total_pages: pages } = await getJson<{ total_count: number; total_pages: number }>(url);
  const depths = { first: 1, quarter: Math.ceil(pages / 4), middle: Math.ceil(pages / 2), last: pages };
  const times: Record<keyof Depths, number[]> = { first: [], quarter: [], middle: [], last: [] };
  for (let round = 0; round < ROUNDS; round++) {
    for (const [depth, page] of Object.entries(depths) as [keyof Depths, number][]) {
      const start = performance.now();
      await getJson(`${url}?page=${page}`);
      times[depth].push(performance.now() - start);
    }
  }
  const median = (depth: keyof Depths) => percentile(times[depth], 0.5);
  return {
    total,
    ms: { first: median("first"), quarter: median("quarter"), middle: median("middle"), last: median("last") },
  };
}

async function ask<T>(rpc: string, method: string, ...params: unknown[]): Promise<T> {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  const response = await fetch(rpc, { method: "POST", headers: { "content-type": "application/json" }, body });
  return ((await response.json()) as { result: T }).result;
}

async function getJson<T>(url: string): Promise<T> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${await response.text()}`);
  return (await response.json()) as T;
}

async function indexed(url: string, block: number): Promise<void> {
  for (;;) {
    const status = await getJson<{ indexed: { number: number } | null }>(`${url}/status`);
    if ((status.indexed?.number ?? -1) >= block) return;
    await delay(200);
  }
}

function report({
  coreMsPerBlock,
  tokensMsPerBlock,
  bytesPerTransfer,
  peakRssMegabytes,
  pages,
}: Cost & {
  peakRssMegabytes: number;
  pages: Pages;
}): void {
  const ms = (value: number) => `${value.toFixed(2)} ms`;
  const transfers = Math.round(REALISTIC.transactions * REALISTIC.logs * REALISTIC.transfers);
  printTable(`The tokens stage, ${transfers} transfers in each block`, [
    ["core", `${ms(coreMsPerBlock)} CPU per block`],
    ["tokens", `${ms(tokensMsPerBlock)} CPU per block`],
    ["tokens to core", (tokensMsPerBlock / coreMsPerBlock).toFixed(2)],
    ["bytes per transfer", bytesPerTransfer.toFixed(0)],
    ["peak RSS of the whole program", `${peakRssMegabytes.toFixed(0)} MB`],
  ]);
  const rows = (depths: Depths) =>
    Object.entries(depths).map(([depth, time]) => [depth, `${ms(time)}, ${(time / depths.first).toFixed(2)}`] as const);
  printTable(`A page of 50 of ${pages.holders} holders, to the first`, rows(pages.holdersMs));
  printTable(`A page of 50 of ${pages.transfers} transfers, to the first`, rows(pages.transfersMs));
}
