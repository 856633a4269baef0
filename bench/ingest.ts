import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { decodeBlock } from "../src/chain/block.ts";
import { Indexer } from "../src/indexer/indexer.ts";
import { checkBlock } from "../src/indexer/integrity.ts";
import { Upstream } from "../src/source/upstream.ts";
import { Store } from "../src/store/store.ts";
import { inParallel, measure, printTable, writeResult } from "./support/measure.ts";
import { ADVERSARIAL, REALISTIC } from "./support/syntheticBlocks.ts";
import { PlainClient, startUpstream } from "./support/upstream.ts";

const IN_FLIGHT = 8;

interface Ingest {
  readonly blocks: number;
  readonly transactions: number;
  readonly cpuMsPerBlock: number;
  readonly blocksPerSecond: number;
  readonly bytesPerTransaction: number;
  readonly peakRssMegabytes: number;
  /** Blocks per CPU second in each tenth of the run. */
  readonly tenths: readonly number[];
}

export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      blocks: { type: "string", default: "3000" },
      adversarial: { type: "string", default: "60" },
      seed: { type: "string", default: "1" },
    },
  });
  const [blocks, hostile, seed] = [Number(values.blocks), Number(values.adversarial), Number(values.seed)];
  console.log(`generating ${blocks} blocks of ${REALISTIC.transactions} transactions (seed ${seed})…`);
  const upstream = await startUpstream("realistic", blocks, seed);
  const sample = Math.min(400, blocks - 1);
  await layers(upstream.url, Math.min(200, sample));
  const before = await layers(upstream.url, sample);
  const ingest = await ingestAll(upstream.url, blocks);
  const after = await layers(upstream.url, sample);
  upstream.close();
  const bound = (before.parse + after.parse) / 2;
  const adversarial = await adversarialRun(hostile, seed);
  const result = {
    ratio: bound / ingest.cpuMsPerBlock,
    boundMsPerBlock: bound,
    layers: { before, after },
    ingest,
    adversarial,
  };
  report(result);
  writeResult("ingest", { distribution: { REALISTIC, ADVERSARIAL }, ...result });
}

type Layers = Awaited<ReturnType<typeof layers>>;

/** CPU per block of each layer, each including the ones before it, without the program around them. */
async function layers(url: string, count: number) {
  const client = new PlainClient(url);
  const time = async (work: (body: Buffer) => void) => {
    const { cpuMs } = await measure(() => inParallel(count, IN_FLIGHT, async (at) => work(await client.fetch(at + 1))));
    return cpuMs / count;
  };
  const parse = (body: Buffer) => JSON.parse(body.toString("latin1")) as { result: unknown }[];
  const decode = (body: Buffer) => {
    const [block, receipts] = parse(body);
    return decodeBlock(block!.result, receipts!.result);
  };
  const measured = {
    fetch: await time(() => {}),
    parse: await time(parse),
    decode: await time(decode),
    check: await time((body) => checkBlock(decode(body))),
  };
  client.close();
  return measured;
}

async function ingestAll(url: string, blocks: number): Promise<Ingest> {
  const directory = mkdtempSync(join(tmpdir(), "oriel-bench-"));
  const store = await Store.open(directory, 677);
  const source = new Upstream({ url, chainId: 677 });
  const marks: { indexed: number; cpuMs: number }[] = [];
  let peakRss = 0;
  const start = process.cpuUsage();
  const onProgress = ({ indexed }: { indexed: number }) => {
    const { user, system } = process.cpuUsage(start);
    marks.push({ indexed: indexed + 1, cpuMs: (user + system) / 1000 });
    peakRss = Math.max(peakRss, process.memoryUsage.rss());
  };
  const indexer = new Indexer({ store, source, integrity: "enforce", onProgress });
  const { cpuMs, wallMs } = await measure(async () => {
    while ((await indexer.step()) !== "idle");
  });
  const { transactions } = (await store.blocks.tip())!.totals;
  await source.close();
  await store.close();
  const bytes = statSync(join(directory, "index.sqlite")).size;
  rmSync(directory, { recursive: true });
  return {
    blocks,
    transactions,
    cpuMsPerBlock: cpuMs / blocks,
    blocksPerSecond: (blocks * 1000) / wallMs,
    bytesPerTransaction: bytes / transactions,
    peakRssMegabytes: peakRss / 2 ** 20,
    tenths: tenthsOf(marks, blocks),
  };
}

function tenthsOf(marks: readonly { indexed: number; cpuMs: number }[], blocks: number): number[] {
  const cpuAt = (indexed: number) => {
    const next = marks.findIndex((mark) => mark.indexed >= indexed);
    const [a, b] = [marks[next - 1] ?? { indexed: 0, cpuMs: 0 }, marks[next]!];
    return a.cpuMs + ((b.cpuMs - a.cpuMs) * (indexed - a.indexed)) / (b.indexed - a.indexed);
  };
  const edge = (tenth: number) => (tenth === 0 ? 0 : cpuAt((blocks * tenth) / 10));
  return Array.from({ length: 10 }, (_, i) => (blocks / 10 / (edge(i + 1) - edge(i))) * 1000);
}

async function adversarialRun(blocks: number, seed: number): Promise<Ingest> {
  const upstream = await startUpstream("adversarial", blocks, seed);
  const ingest = await ingestAll(upstream.url, blocks);
  upstream.close();
  return ingest;
}

function report(result: {
  ratio: number;
  boundMsPerBlock: number;
  layers: { before: Layers; after: Layers };
  ingest: Ingest;
  adversarial: Ingest;
}): void {
  const { ingest, adversarial, layers: taken } = result;
  const mean = (key: keyof Layers) => (taken.before[key] + taken.after[key]) / 2;
  const part = (ms: number) => `${ms.toFixed(2)} ms CPU per block`;
  printTable("Where the time goes", [
    ["fetch", part(mean("fetch"))],
    ["JSON.parse", part(mean("parse") - mean("fetch"))],
    ["decode", part(mean("decode") - mean("parse"))],
    ["integrity checks", part(mean("check") - mean("decode"))],
    ["store and the rest", part(ingest.cpuMsPerBlock - mean("check"))],
    ["all", part(ingest.cpuMsPerBlock)],
  ]);
  printTable(`Ingest of ${ingest.blocks} blocks, ${ingest.transactions} transactions, all checks on`, [
    ["of the bound (fetch + JSON.parse)", result.ratio.toFixed(3)],
    ["blocks per second", ingest.blocksPerSecond.toFixed(1)],
    ["bytes per transaction", ingest.bytesPerTransaction.toFixed(0)],
    ["peak RSS", `${ingest.peakRssMegabytes.toFixed(0)} MB`],
    ["blocks per CPU second, by tenths", ingest.tenths.map((tenth) => tenth.toFixed(0)).join(" ")],
    ["last tenth to second", (ingest.tenths[9]! / ingest.tenths[1]!).toFixed(2)],
  ]);
  printTable("Adversarial: 15,000 fake transfers to new addresses in each block", [
    ["blocks per second", adversarial.blocksPerSecond.toFixed(2)],
    ["microseconds CPU per log", ((adversarial.cpuMsPerBlock * 1000) / 15_000).toFixed(2)],
    ["peak RSS", `${adversarial.peakRssMegabytes.toFixed(0)} MB`],
  ]);
}
