import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { createApp } from "../src/api/app.ts";
import { toHex } from "../src/chain/encoding/hex.ts";
import { STAGES } from "../src/indexer/stages.ts";
import { openStore } from "../src/store/openStore.ts";
import { BareRoute } from "./support/bare.ts";
import { ExchangeBlocks } from "./support/exchangeBlocks.ts";
import { LoadClient } from "./support/load.ts";
import { measure, printBars, printTable, writeResult } from "./support/measure.ts";
import { takeTurns, WIDTH } from "./support/turns.ts";

const PAGE = 100;
/** Pages of a turn: each URL is new, so that no kept text answers it. */
const REQUESTS = 40;
const TURNS = 10;

export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      pools: { type: "string", default: "10000" },
      blocks: { type: "string", default: "200" },
      seed: { type: "string", default: "1" },
    },
  });
  const [pools, blocks, seed] = [Number(values.pools), Number(values.blocks), Number(values.seed)];
  const few = await measureIndex({ pools, blocks, swaps: 10, seed });
  const many = await measureIndex({ pools, blocks, swaps: 200, seed });
  for (const [name, one] of [
    ["few", few],
    ["many", many],
  ] as const) {
    printTable(`${pools} pools, ${name} swaps (${one.swaps})`, [
      ["first look at all pools, ms of CPU", one.firstMs.toFixed(0)],
      ["look after a block, ms of CPU", one.nextMs.toFixed(1)],
      ["longest turn of that, ms of CPU", one.eventLoopDelayMs.toFixed(1)],
      [`page of ${PAGE}, us of CPU`, one.pageUs.toFixed(0)],
      ["bare route, us of CPU", one.bareUs.toFixed(0)],
      ["tokens, us of CPU per log", one.costUs.tokens!.toFixed(1)],
      ["exchange, us of CPU per log", one.costUs.exchange!.toFixed(1)],
    ]);
  }
  printBars([
    { what: `page of ${PAGE} of ${pools} pools of bare`, value: many.bareUs / many.pageUs, atLeast: 0.5 },
    { what: "page with many swaps to one with few", value: many.pageUs / few.pageUs, atMost: 1.3 },
    {
      what: "longest turn after a block, ms",
      value: Math.max(few.eventLoopDelayMs, many.eventLoopDelayMs),
      atMost: 50,
    },
    {
      what: "exchange stage to tokens stage, CPU per log",
      value: many.costUs.exchange! / many.costUs.tokens!,
      atMost: 1.5,
    },
  ]);
  writeResult("exchange", { few, many });
}

interface Shape {
  readonly pools: number;
  readonly blocks: number;
  readonly swaps: number;
  readonly seed: number;
}

async function measureIndex(shape: Shape) {
  console.log(`indexing ${shape.pools} pools and ${shape.blocks} blocks of ${shape.swaps} swaps (seed ${shape.seed})…`);
  const source = new ExchangeBlocks(shape);
  const directory = mkdtempSync(join(tmpdir(), "oriel-bench-"));
  const store = await openStore(directory, 677);
  const all = [...source.blocks()];
  const last = all.pop()!;
  const logs = all.reduce((sum, { receipts }) => sum + receipts.reduce((own, one) => own + one.logs.length, 0), 0);
  for (let at = 0; at < all.length; at += 20) {
    await store.append({ head: all.length, stages: [], blocks: all.slice(at, at + 20) });
  }
  // Or whoever answers would collect them again and again.
  all.length = 0;
  const costUs: Record<string, number> = {};
  for (const feed of STAGES) {
    const { cpuMs } = await measure(async () => {
      while ((await store.derive(feed, 50)) > 0);
    });
    costUs[feed.stage.name] = (cpuMs * 1000) / logs;
  }
  const [stable, coin, factory] = [source.stable, source.coin, source.factory].map(toHex);
  const exchange = {
    factories: [{ name: "Bench", address: factory! }],
    stables: [stable!],
    wrappedCoin: coin,
    priceDepth: 0,
  };
  const app = createApp({ store, exchange, settings: { version: "0", chainId: 677, chainName: "Bench" } });
  const origin = await app.listen({ port: 0, host: "127.0.0.1" });
  const readPools = () => measure(async () => (await fetch(`${origin}/api/v1/pools?page_size=1`)).text());
  const first = await readPools();
  await store.append({ head: last.header.number, stages: STAGES, blocks: [last] });
  const [next, eventLoopDelayMs] = await maxEventLoopDelay(readPools);
  const [pageUs, bareUs] = await comparePages(origin, shape.pools);
  await app.close();
  await store.close();
  rmSync(directory, { recursive: true });
  return {
    swaps: shape.blocks * shape.swaps,
    firstMs: first.cpuMs,
    nextMs: next.cpuMs,
    eventLoopDelayMs,
    pageUs,
    bareUs,
    costUs,
  };
}

/** The longest CPU time, in milliseconds, that the thread worked without a turn for anybody else. */
async function maxEventLoopDelay<T>(work: () => Promise<T>): Promise<[T, number]> {
  const cpuMs = () => {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1000;
  };
  let [isWorking, last, longest] = [true, cpuMs(), 0];
  const turn = () => {
    const now = cpuMs();
    longest = Math.max(longest, now - last);
    last = now;
    if (isWorking) setImmediate(turn);
  };
  turn();
  const result = await work();
  isWorking = false;
  return [result, longest];
}

/** Microseconds of CPU of a page, and of a bare route that stringifies the same object. */
async function comparePages(origin: string, pools: number): Promise<[number, number]> {
  const client = new LoadClient();
  const pages = Math.min(20, Math.floor(pools / PAGE));
  const pathOf = (at: number) => `/api/v1/pools?page_size=${PAGE}&page_num=${1 + (at % pages)}`;
  const paths = Array.from({ length: REQUESTS }, (_, at) => pathOf(at));
  const texts = await Promise.all(paths.map(async (path) => (await fetch(origin + path)).text()));
  const bare = await BareRoute.start(texts);
  const own = (turn: number) => ({ origin, paths: paths.map((path, at) => `${path}&n=${turn}.${at}`) });
  const bound = () => ({ origin: bare.origin, paths: texts.map((_, at) => `/${at}`), cpu: () => bare.cpu() });
  for (let turn = 0; turn < 10; turn++) {
    await client.send({ ...bound(), width: WIDTH });
    await client.send({ ...own(-2 - turn), width: WIDTH });
  }
  const [pageUs, bareUs] = await takeTurns(client, [own, bound], TURNS);
  bare.close();
  client.close();
  return [pageUs!, bareUs!];
}
