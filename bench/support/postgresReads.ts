import type { FastifyInstance } from "fastify";
import { createApp } from "../../src/api/app.ts";
import { toHex } from "../../src/chain/encoding/hex.ts";
import { openStoreReadOnly } from "../../src/store/openStore.ts";
import type { StoreReader } from "../../src/store/storeReader.ts";
import { Random } from "../../test/support/random.ts";
import type { DelayProxy } from "./delayProxy.ts";
import { percentile } from "./measure.ts";

/** Milliseconds by which responses of the server are delayed to count round trips. */
const DELAY = 10;
/** Requests that are counted and not counted. */
const [REQUESTS, WARM_UP] = [40, 60];
const [LOGS, PAGE] = [1000, 50];
const TRANSFER = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";

/** Of a request that nobody made before. */
export interface ReadCost {
  readonly name: string;
  readonly roundTrips: number;
  readonly postgresMs: number;
  readonly sqliteMs: number;
}

interface Stores {
  readonly sqlite: string;
  readonly postgres: string;
  /** The same through a proxy. */
  readonly delayed: string;
  readonly proxy: DelayProxy;
}

/** Lists, records and logs, asked one after another of an API over each engine. */
export async function measureReads({ sqlite, postgres, delayed, proxy }: Stores, seed: number): Promise<ReadCost[]> {
  const apps = await Promise.all([sqlite, postgres, delayed].map(openApp));
  const [ofSqlite, ofPostgres, ofDelayed] = apps as [OpenApp, OpenApp, OpenApp];
  const costs: ReadCost[] = [];
  const delay = await proxy.calibrate(DELAY);
  for (const [name, paths] of await pathsOf(ofSqlite.store, new Random(seed))) {
    const engines = [ofSqlite.app, ofPostgres.app, ofDelayed.app];
    await latencies(engines, paths.slice(0, WARM_UP));
    const [sqliteMs = 0, postgresMs = 0, near = 0] = await latencies(engines, paths.slice(WARM_UP));
    proxy.delay = DELAY;
    const [far = 0] = await latencies([ofDelayed.app], paths.slice(WARM_UP), "&far");
    proxy.delay = 0;
    costs.push({ name, roundTrips: (far - near) / delay, postgresMs, sqliteMs });
  }
  for (const { app, store } of apps) {
    await app.close();
    await store.close();
  }
  return costs;
}

interface OpenApp {
  readonly app: FastifyInstance;
  readonly store: StoreReader;
}

async function openApp(url: string): Promise<OpenApp> {
  const store = await openStoreReadOnly(url);
  const settings = { version: "0", chainId: 677, chainName: "Bench" };
  return { app: createApp({ store, source: undefined, settings }), store };
}

/** No path is given twice. */
async function pathsOf(store: StoreReader, random: Random): Promise<Map<string, string[]>> {
  const count = REQUESTS + WARM_UP;
  const tip = (await store.latest.blocks.tip())!;
  const some = async (sql: string) => {
    const values = (await store.database.all<[Uint8Array]>(sql)).map(([value]) => toHex(value));
    return random.shuffle(values).slice(0, count);
  };
  const addresses = await some(
    "SELECT a.value FROM address_tx_tail t JOIN address a ON a.id = t.owner ORDER BY t.count DESC LIMIT 400",
  );
  const tokens = await some(
    "SELECT a.value FROM token_transfer_tail t JOIN address a ON a.id = t.owner ORDER BY t.count DESC LIMIT 400",
  );
  const positions = (await store.database.all<[number]>("SELECT position FROM tx")).map(([position]) => position);
  const sampled = Array.from({ length: count }, () => random.pick(positions));
  const transactions = await store.latest.transactions.at([...new Set(sampled)]);
  const numbers = random.shuffle(Array.from({ length: tip.number }, (_, at) => at)).slice(0, count);
  const pages = Math.max(1, Math.floor(tip.number / PAGE));
  const logs = `/api?module=logs&action=getLogs&topic0=${TRANSFER}&offset=${LOGS}&toBlock=latest`;
  return new Map([
    ["transactions of an address", addresses.map((address) => `/api/v2/addresses/${address}/transactions?n=0`)],
    ["transfers of a token", tokens.map((token) => `/api/v2/tokens/${token}/transfers?n=0`)],
    ["blocks", numbers.map((number) => `/api/v2/blocks?page=${1 + (number % pages)}&n=${number}`)],
    ["a transaction", transactions.map((one) => `/api/v2/transactions/${toHex(one.transaction.hash)}?n=0`)],
    ["a block", numbers.map((number) => `/api/v2/blocks/${number}?n=0`)],
    [`getLogs of ${LOGS}`, numbers.map((number) => `${logs}&fromBlock=${Math.floor(number / 2)}&n=${number}`)],
  ]);
}

/** Median milliseconds of each app. They take turns, so that a machine that is busy for a moment delays all of them. */
async function latencies(apps: readonly FastifyInstance[], paths: readonly string[], suffix = ""): Promise<number[]> {
  const times: number[][] = apps.map(() => []);
  for (const path of paths) {
    for (const [at, app] of apps.entries()) {
      const start = performance.now();
      const { statusCode, body } = await app.inject({ url: path + suffix });
      times[at]!.push(performance.now() - start);
      if (statusCode !== 200 || body.length < 500)
        throw new Error(`${path} answers ${statusCode}: ${body.slice(0, 200)}`);
    }
  }
  return times.map((each) => percentile(each, 0.5));
}
