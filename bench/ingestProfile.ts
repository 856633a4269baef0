import { PART_NAMES, type PartShares, profileCpu } from "./support/cpuProfile.ts";
import { Ingestion } from "./support/ingestion.ts";
import { inParallel, measure, printBars, printTable, writeResult } from "./support/measure.ts";
import { SHAPES } from "./support/syntheticBlocks.ts";
import { PlainClient, startUpstream } from "./support/upstream.ts";

const CHAINS: readonly (readonly [shape: string, blocks: number])[] = [
  ["realistic", 300],
  ["small", 2000],
  ["logs", 300],
  ["tokens", 200],
];
/** The first part of each chain, while functions are compiled, is not counted. */
const WARM_UP = 0.25;
const TURNS = 5;

interface ChainProfile {
  readonly shape: string;
  /** Without stages, and of the bound that took turns with it. */
  readonly coreMs: number;
  readonly boundMs: number;
  /** With all stages: shares of the thread's CPU by part. */
  readonly parts: Readonly<Record<string, number>>;
}

/** Prints where the CPU of indexing goes, for chains of several kinds. */
export async function profileIngest(seed: number): Promise<void> {
  const chains: ChainProfile[] = [];
  for (const [shape, blocks] of CHAINS) {
    console.log(`generating ${blocks} blocks (${shape}, seed ${seed})…`);
    const upstream = await startUpstream(shape, blocks, seed);
    const parts = await profileStages(upstream.url, blocks);
    chains.push({ shape, ...(await measureCore(upstream.url, blocks)), parts });
    upstream.close();
  }
  for (const chain of chains) report(chain);
  const small = chains.find(({ shape }) => shape === "small")!;
  printBars([{ what: "blocks of 20 transactions, of the bound", value: small.boundMs / small.coreMs, atLeast: 0.35 }]);
  writeResult("ingestProfile", { SHAPES, chains });
}

async function profileStages(url: string, blocks: number): Promise<Record<string, number>> {
  const ingestion = await Ingestion.begin(url, blocks, { tokens: true });
  const from = Math.round(blocks * WARM_UP);
  await ingestion.advance(from);
  const shares: PartShares = await profileCpu(async () => void (await ingestion.advance(blocks)));
  await ingestion.finish();
  return Object.fromEntries(PART_NAMES.map((part) => [part, shares.get(part) ?? 0]));
}

async function measureCore(url: string, blocks: number): Promise<{ coreMs: number; boundMs: number }> {
  const client = new PlainClient(url);
  const ingestion = await Ingestion.begin(url, blocks, { tokens: false });
  const from = Math.round(blocks * WARM_UP);
  const share = Math.round((blocks - from) / TURNS);
  await ingestion.advance(from);
  await takeBound(client, from);
  let [coreMs, boundMs] = [0, 0];
  for (let turn = 1; turn <= TURNS; turn++) {
    const to = turn === TURNS ? blocks : from + turn * share;
    coreMs += (await ingestion.advance(to)).cpuMs;
    boundMs += await takeBound(client, share);
  }
  client.close();
  await ingestion.finish();
  return { coreMs: coreMs / (blocks - from), boundMs: boundMs / (TURNS * share) };
}

/** Milliseconds to fetch and parse the first blocks. */
async function takeBound(client: PlainClient, blocks: number): Promise<number> {
  const all = () => inParallel(blocks, 8, async (at) => void JSON.parse((await client.fetch(at)).toString("latin1")));
  return (await measure(all)).cpuMs;
}

function report({ shape, coreMs, boundMs, parts }: ChainProfile): void {
  const { transactions, logs, transfers } = SHAPES[shape]!;
  const title = `${transactions} transactions in a block, ${logs} logs each, ${Math.round(transfers * 100)} % of them transfers`;
  const percent = (share: number) => `${Math.round(share * 100)} %`;
  printTable(`${title}: CPU of the thread that indexes all stages`, [
    ...Object.entries(parts).map(([part, share]) => [part, percent(share)] as const),
    ["the core alone, all threads", `${coreMs.toFixed(2)} ms CPU per block`],
    ["fetch + JSON.parse, the bound", `${boundMs.toFixed(2)} ms CPU per block`],
    ["the core, of the bound", (boundMs / coreMs).toFixed(3)],
  ]);
}
