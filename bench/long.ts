import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { toHex } from "../src/chain/encoding/hex.ts";
import { STAGES } from "../src/indexer/stages.ts";
import { openStore } from "../src/store/openStore.ts";
import { SimulatedChain } from "../test/support/simulatedChain.ts";
import { simulatedSource } from "../test/support/simulatedSource.ts";
import type { LongChainSize } from "./support/longChain.ts";
import { EMITTERS, KINDS, longBlocks, senderOf } from "./support/longChain.ts";
import { printBars, writeResult } from "./support/measure.ts";

export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      transactions: { type: "string", default: "600" },
      megabytes: { type: "string", default: "2" },
      logs: { type: "string", default: "80000" },
    },
  });
  const size = {
    transactions: Number(values.transactions),
    megabytes: Number(values.megabytes),
    logs: Number(values.logs),
  };
  const directory = mkdtempSync(join(tmpdir(), "oriel-bench-"));
  console.log(`indexing ${size.transactions} transactions with ${size.megabytes} MB of logs each…`);
  const hashes = await index(directory, size);
  const pages: PageCost[] = [];
  for (const path of pathsOf(hashes, size)) pages.push(await measurePage(directory, path));
  rmSync(directory, { recursive: true });
  report(pages);
  writeResult("long", { size, pages });
  printBars([
    {
      what: "longest turn, ms of CPU",
      value: Math.max(...pages.map(({ eventLoopDelayMs }) => eventLoopDelayMs)),
      atMost: 50,
    },
    { what: "most memory of a page, MB", value: Math.max(...pages.map(({ megabytes }) => megabytes)), atMost: 64 },
  ]);
}

interface PageCost {
  readonly path: string;
  readonly bytes: number;
  readonly ms: number;
  /** CPU of the longest turn of the event loop. */
  readonly eventLoopDelayMs: number;
  /** By which the memory of the process grew. */
  readonly megabytes: number;
}

/** Answers the hash of one transaction of each kind. */
async function index(directory: string, size: LongChainSize): Promise<Map<string, string>> {
  const [genesis] = await simulatedSource(new SimulatedChain({ seed: 1 })).blocks(0, 1);
  const store = await openStore(directory, 677);
  const hashes = new Map<string, string>();
  for (const block of longBlocks(size, genesis!.header)) {
    await store.append({ head: block.header.number, blocks: [block], stages: STAGES });
    const [first] = block.transactions;
    if (first !== undefined) hashes.set(toHex(first.from), toHex(first.hash));
  }
  await store.close();
  return hashes;
}

function pathsOf(hashes: ReadonlyMap<string, string>, { logs, transactions }: LongChainSize): string[] {
  const hashOf = (kind: (typeof KINDS)[number]) => hashes.get(toHex(senderOf(kind)))!;
  const whole = "page_size=1000";
  /** The oldest long logs are alone in their transactions; of the other half each has 1,000. */
  const lastPage = Math.ceil((transactions / 2) * 1.001);
  return [
    ...[1, 2, 3, 4, 5].map((page) => `transactions?page=${page}&${whole}`),
    ...KINDS.map((kind) => `addresses/${toHex(senderOf(kind))}/transactions?${whole}`),
    `blocks/5/transactions?${whole}`,
    "main-page/transactions",
    `blocks?${whole}`,
    ...Object.values(EMITTERS).flatMap((emitter) =>
      [1, lastPage].map((page) => `addresses/${toHex(emitter)}/logs?page=${page}&${whole}`),
    ),
    ...(["log", "logs"] as const).map((kind) => `transactions/${hashOf(kind)}/logs?${whole}`),
    `transactions/${hashOf("empty")}/logs?${whole}`,
    `transactions/${hashOf("empty")}/logs?page=1000&page_size=${Math.floor(logs / 1000)}`,
    `tokens/${toHex(EMITTERS.token)}/transfers?${whole}`,
    `tokens/${toHex(EMITTERS.token)}/transfers?page=5&${whole}`,
    `transactions/${hashOf("input")}`,
  ];
}

/** In a process that has answered small pages of the same list before, so that its code is compiled. */
async function measurePage(directory: string, path: string): Promise<PageCost> {
  const file = fileURLToPath(new URL("./support/pageServer.ts", import.meta.url));
  const server = fork(file, [directory], { execArgv: ["--expose-gc"] });
  const [origin] = (await once(server, "message")) as [string];
  const small = path.replace(/page_size=\d+/, "page_size=3").replace(/page=\d+&/, "");
  const ask = async (what: string) => (await (await fetch(`${origin}/api/v2/${what}`)).arrayBuffer()).byteLength;
  for (let at = 0; at < 30; at++) await ask(`${small}${small.includes("?") ? "&" : "?"}n=${at}`);
  server.send("begin");
  await once(server, "message");
  const start = performance.now();
  const bytes = await ask(path);
  const ms = performance.now() - start;
  server.send("end");
  const [{ eventLoopDelayMs, megabytes }] = (await once(server, "message")) as [
    { eventLoopDelayMs: number; megabytes: number },
  ];
  server.disconnect();
  return { path, bytes, ms, eventLoopDelayMs, megabytes };
}

function report(pages: readonly PageCost[]): void {
  const short = (path: string) => path.replace(/0x([0-9a-f]{4})[0-9a-f]+/, "0x$1…");
  const width = Math.max(...pages.map(({ path }) => short(path).length));
  console.log(
    `\n  ${"page".padEnd(width)}  ${["ms", "hold ms", "MB", "bytes"].map((name) => name.padStart(9)).join("")}`,
  );
  for (const { path, ms, eventLoopDelayMs, megabytes, bytes } of pages) {
    const figures = [ms.toFixed(0), eventLoopDelayMs.toFixed(1), megabytes.toFixed(1), String(bytes)];
    console.log(`  ${short(path).padEnd(width)}  ${figures.map((figure) => figure.padStart(9)).join("")}`);
  }
}
