import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import type { Bar } from "./support/measure.ts";
import { printBars, printTable, writeResult } from "./support/measure.ts";
import { startProgram } from "./support/program.ts";
import { startUpstream } from "./support/upstream.ts";

/** The most memory the whole program may take, whatever the blocks are made of. */
const MAX_MEGABYTES = 600;

/** Blocks of each shape, by what is hard about them. */
const KINDS: readonly { readonly shape: string; readonly blocks: number; readonly what: string }[] = [
  { shape: "bareLogs", blocks: 20, what: "79,000 empty logs in each block (30 M gas)" },
  { shape: "moreBareLogs", blocks: 12, what: "158,000 empty logs in each block (60 M gas)" },
  { shape: "transfers", blocks: 15, what: "110,000 transfers to new addresses in each block" },
  { shape: "batches", blocks: 12, what: "12 batches of 10,000 items in each block" },
  { shape: "tooManyBatches", blocks: 3, what: "120 batches of 10,000 items in each block, which are left out" },
];

/** `npm run bench -- hostile [SHAPE …] [--blocks N]`: the memory of the whole program while it catches up. */
export async function run(args: string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { blocks: { type: "string" }, seed: { type: "string", default: "1" } },
  });
  const kinds = KINDS.filter(({ shape }) => positionals.length === 0 || positionals.includes(shape));
  const results = [];
  const bars: Bar[] = [];
  for (const { shape, blocks, what } of kinds) {
    const count = values.blocks === undefined ? blocks : Number(values.blocks);
    const result = await catchUp(shape, count, Number(values.seed));
    results.push({ shape, blocks: count, ...result });
    printTable(`${what}, ${count} blocks`, [["seconds to catch up", result.seconds.toFixed(1)]]);
    bars.push({ what: `peak RSS, ${shape}, MB`, value: result.peakRssMegabytes, atMost: MAX_MEGABYTES });
  }
  printBars(bars);
  writeResult("hostile", results);
}

async function catchUp(shape: string, blocks: number, seed: number) {
  const upstream = await startUpstream(shape, blocks, seed);
  const program = await startProgram(upstream.url);
  const start = performance.now();
  try {
    while ((await indexedBlock(program.url)) < blocks - 1) await delay(200);
    return { seconds: (performance.now() - start) / 1000, peakRssMegabytes: program.peakRssMegabytes() };
  } finally {
    await program.stop();
    upstream.close();
  }
}

async function indexedBlock(url: string): Promise<number> {
  const status = (await (await fetch(`${url}/status`)).json()) as {
    stages: readonly { readonly name: string; readonly block: number }[];
  };
  return Math.min(...["core", "tokens"].map((name) => status.stages.find((stage) => stage.name === name)?.block ?? -1));
}
