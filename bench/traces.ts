import { parseArgs } from "node:util";
import type { Block } from "../src/chain/block/block.ts";
import { toHex } from "../src/chain/encoding/hex.ts";
import { TraceReader } from "../src/indexer/traces/traceReader.ts";
import { listAccounts } from "../src/query/accounts/accounts.ts";
import type { QueryContext } from "../src/query/context.ts";
import { openQueryContext } from "../src/query/context.ts";
import { listInternalTransactions } from "../src/query/traces/internalTransactions.ts";
import { IN_MEMORY } from "../src/store/engine/databases.ts";
import { openStore } from "../src/store/openStore.ts";
import { TRACES } from "../src/store/stages/traces/traceStage.ts";
import type { Store } from "../src/store/store.ts";
import { Random } from "../test/support/random.ts";
import { SimulatedChain } from "../test/support/simulatedChain.ts";
import { simulatedSource } from "../test/support/simulatedSource.ts";
import { printBars, printTable, writeResult } from "./support/measure.ts";

const BATCH_SIZE = 30;
const ROUNDS = 7;
const PAGES = 60;

const ACCOUNTS = 50_000;

/**
 * Cost of the traces stage relative to the core, once the node's answers are parsed, and its list at both ends; the list of accounts
 * at both ends and in the middle.
 */
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
  let accounts = { first: 0, middle: 0, last: 0 };
  for (let round = 0; round < ROUNDS; round++) {
    const store = await openStore(IN_MEMORY, chain.chainId);
    rounds.push(await index(store, blocks, answers));
    if (round === ROUNDS - 1) {
      pages = await measurePages(store);
      accounts = await measureAccounts(store);
    }
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
      [`first page of ${ACCOUNTS} accounts, ms of CPU`, accounts.first.toFixed(2)],
      ["page in their middle, ms of CPU", accounts.middle.toFixed(2)],
      ["last page of them, ms of CPU", accounts.last.toFixed(2)],
    ],
  );
  printBars([
    { what: "traces stage to core, CPU per block", value: stage / core, atMost: 1 },
    { what: "last page to first", value: pages.last / pages.first, atMost: 1.3 },
    { what: "last page of accounts to the first", value: accounts.last / accounts.first, atMost: 1.3 },
    { what: "page in the middle of accounts to the first", value: accounts.middle / accounts.first, atMost: 2 },
  ]);
  writeResult("traces", { core, parsing, stage, pages, accounts });
}

interface Costs {
  readonly core: number;
  readonly parsing: number;
  readonly stage: number;
}

async function index(store: Store, blocks: readonly Block[], answers: readonly string[]): Promise<Costs> {
  const head = blocks.length - 1;
  const core = await cpuOf(async () => {
    for (let at = 0; at < blocks.length; at += BATCH_SIZE)
      await store.append({ blocks: blocks.slice(at, at + BATCH_SIZE), head });
  });
  let parsed: unknown[] = [];
  const parsing = await cpuOf(async () => {
    parsed = answers.map((answer) => JSON.parse(answer) as unknown);
  });
  const stage = await cpuOf(async () => {
    for (let at = 0; at < blocks.length; at += BATCH_SIZE) {
      const part = blocks.slice(at, at + BATCH_SIZE);
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
  const pages = { first: 1, last: Math.floor(info.total / 50) };
  return measureEach(context, pages, (page) =>
    listInternalTransactions(context, { page, pageSize: 50, cursor: undefined }),
  );
}

async function measureAccounts(store: Store) {
  const { number, hash } = (await store.latest.blocks.tip())!;
  const random = new Random(1);
  const wei = () => BigInt(Math.floor(10 ** (random.fraction() * 15))) * 10n ** 7n + BigInt(random.int(10 ** 7)) + 1n;
  const balances = Array.from({ length: ACCOUNTS }, () => ({ address: random.bytes(20), balance: wei() }));
  await store.nativeBalances.begin(number, [0, 0, 0]);
  await store.nativeBalances.fill({ number, hash, backfilled: 0, balances });
  const context = openQueryContext({ store });
  const pages = { first: 1, middle: ACCOUNTS / 100, last: ACCOUNTS / 50 };
  return measureEach(context, pages, (page) => listAccounts(context, { page, pageSize: 50, cursor: undefined }));
}

/** The pages take turns, so that what slows the machine down slows all of them. */
async function measureEach<N extends string>(
  { decoder }: QueryContext,
  pages: Readonly<Record<N, number>>,
  list: (page: number) => Promise<unknown>,
): Promise<Record<N, number>> {
  const costs = new Map<string, number[]>();
  for (let turn = 0; turn < PAGES; turn++) {
    for (const [name, page] of Object.entries<number>(pages)) {
      costs.set(name, [...(costs.get(name) ?? []), await cpuOf(() => list(page))]);
    }
  }
  await decoder.close();
  return Object.fromEntries([...costs].map(([name, each]) => [name, median(each)])) as Record<N, number>;
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
