import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { createApp } from "../src/api/app.ts";
import { Indexer } from "../src/indexer/indexer.ts";
import { STAGES } from "../src/indexer/stages.ts";
import type { Row } from "../src/store/engine/database.ts";
import { openStore } from "../src/store/openStore.ts";
import type { Store } from "../src/store/store.ts";
import { autocommit, transact } from "../test/support/autocommit.ts";
import type { NamedToken } from "../test/support/namedTokens.ts";
import { indexTokenNames, insertTokens } from "../test/support/namedTokens.ts";
import { Random } from "../test/support/random.ts";
import { SimulatedChain } from "../test/support/simulatedChain.ts";
import { simulatedSource } from "../test/support/simulatedSource.ts";
import type { Measured } from "./support/measure.ts";
import { measure, percentile, printBars, printTable, writeResult } from "./support/measure.ts";

/** Requests of each kind; the kinds take turns. */
const ROUNDS = 200;

export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: { tokens: { type: "string", default: "100000" }, seed: { type: "string", default: "1" } },
  });
  const result = await measureSearch({ tokens: Number(values.tokens), seed: Number(values.seed) });
  report(result);
  printBars([{ what: "p99 of a search, ms", value: result.all.p99Ms, atMost: 20 }]);
  writeResult("search", result);
}

type Result = Written & Searched & { readonly tokens: number };

export async function measureSearch({ tokens, seed }: { tokens: number; seed: number }): Promise<Result> {
  const random = new Random(seed);
  const directory = mkdtempSync(join(tmpdir(), "oriel-bench-"));
  const store = await makeStore(directory);
  const named = Array.from({ length: tokens }, (_, at) => nameToken(random, FIRST_TOKEN + at));
  const written = await writeNames(store, named);
  const searched = await measureSearches(store, named, random);
  await store.close();
  rmSync(directory, { recursive: true });
  return { tokens, ...written, ...searched };
}

/** Far above the ids of the addresses that the chain has. */
const FIRST_TOKEN = 1_000_000;

async function makeStore(directory: string): Promise<Store> {
  const chain = new SimulatedChain({ seed: 1 });
  chain.mine(20);
  const store = await openStore(directory, chain.chainId);
  const indexer = new Indexer({ store, source: simulatedSource(chain), stages: STAGES });
  while ((await indexer.step()) !== "idle");
  return store;
}

const WORDS =
  "Coin Token Inu Moon Dog Cat Finance Swap Wrapped Ether Bitcoin Gold Dollar USD Protocol DAO Meta Baby Elon Safe Rocket Pepe Chain Network Yield Farm LP Vault Share Governance Staked Liquid Bridged Classic Cash Pay Game World AI Agent".split(
    " ",
  );
const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";

/** Names as chains have them: a few words that many share, symbols of three to five letters, and copies of known ones. */
function nameToken(random: Random, token: number): NamedToken {
  const holders = Math.floor(1 / (random.fraction() + 1e-6));
  if (random.chance(0.05)) return { token, symbol: random.pick(["USDT", "WETH", "USDC"]), name: "Tether USD", holders };
  const letters = (count: number) => Array.from({ length: count }, () => random.pick([...LETTERS])).join("");
  const words = Array.from({ length: random.between(1, 3) }, () => random.pick(WORDS));
  if (random.chance(0.4)) words.push(letters(random.between(3, 9)).toLowerCase());
  return { token, symbol: letters(random.between(3, 5)), name: words.join(" "), holders };
}

interface Written {
  readonly rowsPerToken: number;
  readonly bytesPerToken: number;
  readonly microsecondsPerToken: number;
}

async function writeNames({ database }: Store, named: readonly NamedToken[]): Promise<Written> {
  const address = ({ token }: NamedToken): Row => {
    const value = new Uint8Array(20);
    new DataView(value.buffer).setUint32(16, token);
    return [token, value];
  };
  await transact(database, async (writer) => {
    await writer.insert("address", ["id", "value"], named.map(address));
    await insertTokens(writer, named);
  });
  await autocommit(database).run("DELETE FROM token_name");
  const pages = await pagesOf(database);
  const { cpuMs } = await measure(() => transact(database, indexTokenNames));
  const [rows] = await database.all("SELECT count(*) FROM token_name");
  return {
    rowsPerToken: (rows![0] as number) / named.length,
    bytesPerToken: ((await pagesOf(database)) - pages) / named.length,
    microsecondsPerToken: (cpuMs * 1000) / named.length,
  };
}

async function pagesOf(database: Store["database"]): Promise<number> {
  const [[pages], [size]] = [
    (await database.all("PRAGMA page_count"))[0]!,
    (await database.all("PRAGMA page_size"))[0]!,
  ];
  return (pages as number) * (size as number);
}

/** CPU as well as time passed: others may keep the machine busy. */
interface Times {
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly cpuP50Ms: number;
  readonly cpuP99Ms: number;
}

interface Searched {
  readonly kinds: Readonly<Record<string, Times & { found: number }>>;
  readonly all: Times;
  /** A block by its number, which is next to nothing but HTTP. */
  readonly blockMs: number;
}

/** Whole requests of the app, without a socket. */
async function measureSearches(store: Store, named: readonly NamedToken[], random: Random): Promise<Searched> {
  const app = createApp({ store, settings: { version: "0", chainId: 677, chainName: "Bench" } });
  const part = (text: string | null, length: number) => {
    const from = random.int(Math.max(1, text!.length - length));
    return text!.slice(from, from + length);
  };
  const queries: Record<string, () => string> = {
    "one letter": () => random.pick([...LETTERS]),
    "two letters": () => random.pick([...LETTERS]) + random.pick([...LETTERS]),
    "a word that many share": () => random.pick(WORDS),
    "a symbol": () => random.pick(named).symbol!,
    "a symbol that is copied": () => random.pick(["usdt", "weth", "usdc"]),
    "a whole name": () => random.pick(named).name!,
    "four letters of a name": () => part(random.pick(named).name, 4),
    nothing: () => `zzzz${random.int(1e9)}`,
  };
  const times: Record<string, Took[]> = Object.fromEntries(Object.keys(queries).map((kind) => [kind, []]));
  const found: Record<string, number> = {};
  const blocks: Took[] = [];
  const ask = async (url: string) => {
    const { result, ...took } = await measure(() => app.inject({ method: "GET", url }));
    if (result.statusCode !== 200) throw new Error(`${url} answered ${result.statusCode}`);
    return { took, total: result.json<{ total_count?: number }>().total_count ?? 0 };
  };
  for (let round = -20; round < ROUNDS; round++) {
    for (const [kind, query] of Object.entries(queries)) {
      const { took, total } = await ask(`/api/v2/search?q=${encodeURIComponent(query())}`);
      if (round < 0) continue;
      times[kind]!.push(took);
      found[kind] = (found[kind] ?? 0) + total / ROUNDS;
    }
    blocks.push((await ask("/api/v2/blocks/7")).took);
  }
  await app.close();
  const kinds = Object.entries(times).map(([kind, took]) => [kind, { ...sum(took), found: found[kind]! }] as const);
  return {
    kinds: Object.fromEntries(kinds),
    all: sum(Object.values(times).flat()),
    blockMs: sum(blocks).cpuP50Ms,
  };
}

type Took = Pick<Measured<unknown>, "cpuMs" | "wallMs">;

function sum(took: readonly Took[]): Times {
  const [wall, cpu] = [took.map(({ wallMs }) => wallMs), took.map(({ cpuMs }) => cpuMs)];
  return {
    p50Ms: percentile(wall, 0.5),
    p99Ms: percentile(wall, 0.99),
    cpuP50Ms: percentile(cpu, 0.5),
    cpuP99Ms: percentile(cpu, 0.99),
  };
}

function report(result: Result): void {
  const ms = (value: number) => `${value.toFixed(2)} ms`;
  printTable(`What ${result.tokens} tokens are found by`, [
    ["rows per token", result.rowsPerToken.toFixed(1)],
    ["bytes per token", result.bytesPerToken.toFixed(0)],
    ["to write", `${result.microsecondsPerToken.toFixed(0)} microseconds CPU per token`],
  ]);
  const times = ({ p50Ms, p99Ms, cpuP50Ms, cpuP99Ms }: Times) =>
    `p50 ${ms(p50Ms)} (CPU ${ms(cpuP50Ms)}), p99 ${ms(p99Ms)} (CPU ${ms(cpuP99Ms)})`;
  printTable("A search, 50 on a page", [
    ...Object.entries(result.kinds).map(
      ([kind, took]) => [kind, `${times(took)}, ${took.found.toFixed(0)} found`] as const,
    ),
    ["all", times(result.all)],
    ["all, to a block by its number, CPU", (result.all.cpuP50Ms / result.blockMs).toFixed(1)],
  ]);
}
