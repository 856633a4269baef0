import { parseArgs } from "node:util";
import type { Block } from "../src/chain/block/block.ts";
import { toHex } from "../src/chain/encoding/hex.ts";
import { TraceReader } from "../src/indexer/traces/traceReader.ts";
import { openQueryContext } from "../src/query/context.ts";
import { listInternalTransactions } from "../src/query/traces/internalTransactions.ts";
import { IN_MEMORY } from "../src/store/engine/databases.ts";
import { openStore } from "../src/store/openStore.ts";
import type { Store } from "../src/store/store.ts";
import { TRACES } from "../src/store/traces/traceStage.ts";
import { SimulatedChain } from "../test/support/simulatedChain.ts";
import { simulatedSource } from "../test/support/simulatedSource.ts";
import { printBars, printTable, writeResult } from "./support/measure.ts";

const AT_ONCE = 30;
const ROUNDS = 7;
const PAGES = 60;

/** What the traces stage costs beside the core, once the node's answers are parsed, and its list at both ends. */
export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({ args, options: { blocks: { type: "string", default: "120" } } });
  const chain = new SimulatedChain({ seed: 1, traffic: { transactions: [100, 200] } });
  chain.mine(Number(values.blocks));
  const source = simulatedSource(chain);
  const blocks = await source.blocks(0, chain.length);
  const answers: string[] = [];
  for (const { header } of blocks) {
    const trace = await source.request("debug_traceBlockByHash", [toHex(header.hash), { tracer: "callTracer" }]);
    answers.push(JSON.stringify(trace));
  }
  const rounds: Costs[] = [];
  let pages = { first: 0, last: 0 };
  for (let round = 0; round < ROUNDS; round++) {
    const store = await openStore(IN_MEMORY, chain.chainId);
    rounds.push(await index(store, blocks, answers));
    if (round === ROUNDS - 1) pages = await measurePages(store);
    await store.close();
  }
  const [core, parsing, stage] = (["core", "parsing", "stage"] as const).map((what) =>
    median(rounds.map((costs) => costs[what] / blocks.length)),
  ) as [number, number, number];
  printTable(
    `${blocks.length} blocks, ${blocks.reduce((sum, block) => sum + block.transactions.length, 0)} transactions`,
    [
      ["core, ms of CPU per block", core.toFixed(2)],
      ["parsing of traces, ms of CPU per block", parsing.toFixed(2)],
      ["traces stage, ms of CPU per block", stage.toFixed(2)],
      ["first page, ms of CPU", pages.first.toFixed(2)],
      ["last page, ms of CPU", pages.last.toFixed(2)],
    ],
  );
  printBars([
    { what: "traces stage to core, CPU per block", value: stage / core, atMost: 1 },
    { what: "last page to first", value: pages.last / pages.first, atMost: 1.3 },
  ]);
  writeResult("traces", { core, parsing, stage, pages });
}

interface Costs {
  readonly core: number;
  readonly parsing: number;
  readonly stage: number;
}

async function index(store: Store, blocks: readonly Block[], answers: readonly string[]): Promise<Costs> {
  const head = blocks.length - 1;
  const core = await cpuOf(async () => {
    for (let at = 0; at < blocks.length; at += AT_ONCE)
      await store.append({ blocks: blocks.slice(at, at + AT_ONCE), head });
  });
  let parsed: unknown[] = [];
  const parsing = await cpuOf(async () => {
    parsed = answers.map((answer) => JSON.parse(answer) as unknown);
  });
  const stage = await cpuOf(async () => {
    for (let at = 0; at < blocks.length; at += AT_ONCE) {
      const part = blocks.slice(at, at + AT_ONCE);
      await store.extend(TRACES, await Promise.all(part.map((block, offset) => trace(block, parsed[at + offset]))));
    }
  });
  return { core, parsing, stage };
}

async function trace({ header: { number, hash }, transactions }: Block, answer: unknown) {
  const reader = new TraceReader({ request: async () => answer });
  const traced = await reader.read({ number, hash, transactions: transactions.map((tx) => tx.hash) });
  return { number, hash, events: { transactions: traced } };
}

async function measurePages(store: Store) {
  const context = openQueryContext({ store });
  const { info } = await listInternalTransactions(context, { page: 1, pageSize: 50, cursor: undefined });
  const last = Math.floor(info.total / 50);
  const costs = { first: [] as number[], last: [] as number[] };
  for (let turn = 0; turn < PAGES; turn++) {
    for (const [end, page] of [
      ["first", 1],
      ["last", last],
    ] as const) {
      costs[end].push(await cpuOf(() => listInternalTransactions(context, { page, pageSize: 50, cursor: undefined })));
    }
  }
  await context.decoder.close();
  return { first: median(costs.first), last: median(costs.last) };
}

async function cpuOf(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1]!;
}
