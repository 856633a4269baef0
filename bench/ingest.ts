import { parseArgs } from "node:util";
import type { Block } from "../src/chain/block/block.ts";
import { checkBlock } from "../src/chain/integrity/integrity.ts";
import { scanBlock } from "../src/chain/scan/scanner.ts";
import { unpackBlock } from "../src/chain/scan/unpackBlock.ts";
import { resultTexts } from "../src/source/jsonText.ts";
import { profileIngest } from "./ingestProfile.ts";
import { Ingestion } from "./support/ingestion.ts";
import type { Bar } from "./support/measure.ts";
import { inParallel, measure, printBars, printTable, writeResult } from "./support/measure.ts";
import { startProgram } from "./support/program.ts";
import type { Served } from "./support/servedReads.ts";
import { READS_PER_SECOND, readWhileIngesting } from "./support/servedReads.ts";
import { ADVERSARIAL, REALISTIC } from "./support/syntheticBlocks.ts";
import { PlainClient, startUpstream } from "./support/upstream.ts";

const IN_FLIGHT = 8;
/** Blocks after those that are compared by tenths: near the head every block is journaled or committed by itself. */
const NEAR_HEAD = 300;
/** Ingest and bound take turns, so that a machine that is slower for a while is slower for both. */
const TURNS = 30;
/** Blocks of each turn of the bound. */
const SLICE = 50;

interface Ingest {
  readonly blocks: number;
  readonly transactions: number;
  readonly cpuMsPerBlock: number;
  readonly threadMsPerBlock: number;
  readonly boundMsPerBlock: number;
  readonly blocksPerSecond: number;
  readonly bytesPerTransaction: number;
  readonly tenths: readonly Part[];
}

/** CPU per block of a part of the ingest, that of the thread that writes, and that of the bound taken beside it. */
interface Part {
  readonly blocks: number;
  readonly cpuMs: number;
  readonly threadMs: number;
  readonly boundMs: number;
}

export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      blocks: { type: "string", default: "3000" },
      adversarial: { type: "string", default: "60" },
      seed: { type: "string", default: "1" },
      profile: { type: "boolean", default: false },
    },
  });
  if (values.profile) {
    await profileIngest(Number(values.seed));
    return;
  }
  const [blocks, hostile, seed] = [Number(values.blocks), Number(values.adversarial), Number(values.seed)];
  console.log(`generating ${blocks} blocks of ${REALISTIC.transactions} transactions (seed ${seed})…`);
  const upstream = await startUpstream("realistic", blocks + NEAR_HEAD, seed);
  const client = new PlainClient(upstream.url);
  const sample = Math.min(300, blocks - 1);
  await measureLayers(client, Math.min(150, sample));
  const layers = await measureLayers(client, sample);
  const ingest = await ingestAll(upstream.url, { blocks, turns: TURNS, nearHead: NEAR_HEAD }, () =>
    fetchAndParse(client, SLICE),
  );
  const threaded = await ingestAll(upstream.url, { blocks, turns: TURNS, nearHead: NEAR_HEAD, threaded: true }, () =>
    fetchAndParse(client, SLICE),
  );
  client.close();
  const served = await serveWhileIngesting(upstream.url, blocks + NEAR_HEAD);
  upstream.close();
  const hostileUpstream = await startUpstream("adversarial", hostile, seed);
  const adversarial = await ingestAll(
    hostileUpstream.url,
    { blocks: hostile, turns: 1, nearHead: 0 },
    async () => Number.NaN,
  );
  hostileUpstream.close();
  const result = {
    ratio: ingest.boundMsPerBlock / ingest.cpuMsPerBlock,
    rate: threaded.boundMsPerBlock / threaded.threadMsPerBlock,
    ...{ layers, ingest, threaded, served, adversarial },
  };
  report(result);
  printBars(barsOf(result));
  writeResult("ingest", { distribution: { REALISTIC, ADVERSARIAL }, ...result });
}

type Layers = Awaited<ReturnType<typeof measureLayers>>;
type Answer = { result: unknown }[];

/** CPU per block of `work` on the answers for blocks 1..count. */
async function cpuPerBlock(client: PlainClient, count: number, work: (body: Buffer) => unknown): Promise<number> {
  const all = () => inParallel(count, IN_FLIGHT, async (at) => void work(await client.fetch(at + 1)));
  return (await measure(all)).cpuMs / count;
}

const parse = (body: Buffer): Answer => JSON.parse(body.toString("latin1")) as Answer;

/** From the bytes, as the source does, with the hashes. */
function decode(body: Buffer): Block {
  const texts = resultTexts({ status: 200, headers: {}, text: "", body, bytes: body.length }, 2, 1, () => []);
  const [block, receipts] = texts!.map(({ result }) => result!.bytes);
  return unpackBlock(scanBlock(block!, receipts!)!);
}

function fetchAndParse(client: PlainClient, count: number): Promise<number> {
  return cpuPerBlock(client, count, parse);
}

/** Each layer includes fetching, without the program around it. */
async function measureLayers(client: PlainClient, count: number) {
  return {
    fetch: await cpuPerBlock(client, count, () => {}),
    parse: await fetchAndParse(client, count),
    decode: await cpuPerBlock(client, count, decode),
    check: await cpuPerBlock(client, count, (body) => checkBlock(decode(body))),
  };
}

/** Indexes `blocks` blocks in turns and then those `nearHead`. */
async function ingestAll(
  url: string,
  {
    blocks,
    turns: count,
    nearHead,
    threaded = false,
  }: { blocks: number; turns: number; nearHead: number; threaded?: boolean },
  takeBound: () => Promise<number>,
): Promise<Ingest> {
  const all = blocks + nearHead;
  const ingestion = await Ingestion.begin(url, all, { tokens: false, threaded });
  const turns: Part[] = [];
  let wallMs = 0;
  const advance = async (from: number, to: number) => {
    const measured = await ingestion.advance(to);
    wallMs += measured.wallMs;
    const perBlock = (milliseconds: number) => milliseconds / (to - from);
    turns.push({
      blocks: to - from,
      cpuMs: perBlock(measured.cpuMs),
      threadMs: perBlock(measured.threadMs),
      boundMs: await takeBound(),
    });
  };
  const endOf = (turn: number) => Math.round((blocks * turn) / count);
  for (let turn = 0; turn < count; turn++) await advance(endOf(turn), endOf(turn + 1));
  if (nearHead > 0) await advance(blocks, all);
  const { transactions, bytes } = await ingestion.finish();
  const { cpuMs, threadMs, boundMs } = average(turns);
  const tenth = (at: number) => average(turns.slice((at * count) / 10, ((at + 1) * count) / 10));
  return {
    blocks: all,
    transactions,
    cpuMsPerBlock: cpuMs,
    threadMsPerBlock: threadMs,
    boundMsPerBlock: boundMs,
    blocksPerSecond: (all * 1000) / wallMs,
    bytesPerTransaction: bytes / transactions,
    tenths: Array.from({ length: 10 }, (_, at) => tenth(at)),
  };
}

/** Block reads against the whole program while it ingests. */
async function serveWhileIngesting(rpc: string, blocks: number): Promise<Served> {
  const program = await startProgram(rpc, "--no-tokens");
  const served = await readWhileIngesting(program, blocks, {
    path: (indexed) => `/api/v2/blocks/${Math.floor(Math.random() * (indexed + 1))}`,
  });
  await program.stop();
  return served;
}

function average(parts: readonly Part[]): Part {
  const blocks = parts.reduce((sum, part) => sum + part.blocks, 0);
  const mean = (of: "cpuMs" | "threadMs" | "boundMs") =>
    parts.reduce((sum, part) => sum + part[of] * part.blocks, 0) / blocks;
  return { blocks, cpuMs: mean("cpuMs"), threadMs: mean("threadMs"), boundMs: mean("boundMs") };
}

interface Result {
  readonly ratio: number;
  readonly rate: number;
  readonly ingest: Ingest;
  readonly threaded: Ingest;
  readonly served: Served;
}

function barsOf({ ratio, rate, ingest, served }: Result): Bar[] {
  const speeds = ingest.tenths.map((tenth) => tenth.boundMs / tenth.cpuMs);
  return [
    { what: "ingest, of the bound (fetch + JSON.parse)", value: ratio, atLeast: 0.25 },
    {
      what: "rate with a thread that fetches and a core for each, of the bound's on one core",
      value: rate,
      atLeast: 0.8,
    },
    { what: "last tenth to second, of the bound", value: speeds[9]! / speeds[1]!, atLeast: 0.8 },
    { what: "bytes per transaction", value: ingest.bytesPerTransaction, atMost: 700 },
    { what: "peak RSS while it serves, MB", value: served.peakRssMegabytes, atMost: 400 },
    { what: "p99 of a block read, ms", value: served.p99Ms, atMost: 50 },
  ];
}

function report(result: Result & { layers: Layers; adversarial: Ingest }): void {
  const { ingest, threaded, served, adversarial, layers } = result;
  const part = (ms: number) => `${ms.toFixed(2)} ms CPU per block`;
  const speeds = ingest.tenths.map((tenth) => tenth.boundMs / tenth.cpuMs);
  printTable("Where the time goes", [
    ["fetch", part(layers.fetch)],
    ["JSON.parse", part(layers.parse - layers.fetch)],
    ["decode and hashes, from bytes", part(layers.decode - layers.fetch)],
    ["other integrity checks", part(layers.check - layers.decode)],
    ["store and the rest", part(ingest.cpuMsPerBlock - layers.check)],
    ["all", part(ingest.cpuMsPerBlock)],
  ]);
  printTable(`Ingest of ${ingest.blocks} blocks, ${ingest.transactions} transactions, all checks on`, [
    ["of the bound (fetch + JSON.parse)", result.ratio.toFixed(3)],
    ["of the bound, by tenths", speeds.map((speed) => speed.toFixed(2)).join(" ")],
    ["last tenth to second, of the bound", (speeds[9]! / speeds[1]!).toFixed(2)],
    ["blocks per second", ingest.blocksPerSecond.toFixed(1)],
    ["bytes per transaction", ingest.bytesPerTransaction.toFixed(0)],
  ]);
  printTable("The same with a thread that fetches and decodes", [
    ["all threads", part(threaded.cpuMsPerBlock)],
    ["the thread that writes", part(threaded.threadMsPerBlock)],
    ["blocks per second", threaded.blocksPerSecond.toFixed(1)],
  ]);
  printTable(`The whole program, ${served.requests} block reads at ${READS_PER_SECOND}/s while it ingests`, [
    ["p50", `${served.p50Ms.toFixed(1)} ms`],
    ["p99", `${served.p99Ms.toFixed(1)} ms`],
    ["longest", `${served.maxMs.toFixed(1)} ms`],
    ["peak RSS", `${served.peakRssMegabytes.toFixed(0)} MB`],
  ]);
  printTable("Adversarial: 15,000 fake transfers to new addresses in each block", [
    ["blocks per second", adversarial.blocksPerSecond.toFixed(2)],
    ["microseconds CPU per log", ((adversarial.cpuMsPerBlock * 1000) / 15_000).toFixed(2)],
  ]);
}
