import { Agent, request } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import type { Random } from "../../test/support/random.ts";
import { countStolen } from "./stolenTime.ts";

/** Paths of a steady load, given the indexed height. */
interface Known {
  readonly hashes: readonly string[];
  readonly addresses: readonly string[];
  readonly tokens: readonly string[];
  readonly block: number;
}

/** Milliseconds after the start that are not counted: code is compiled as it is first used. */
const WARM_UP = 3000;

const NOTHING: Known = { hashes: [], addresses: [], tokens: [], block: 0 };

export interface SteadyLoad {
  /** Milliseconds from when a request was due, less those that the hypervisor took, by the kind of its path. */
  readonly latencies: ReadonlyMap<string, readonly number[]>;
}

/**
 * Requests of every kind at a fixed rate until `isDone`. A request that had to wait counts from when it should have been
 * sent, or a stall would hide the requests behind it.
 */
export async function loadSteadily(
  origin: string,
  { rate, random, isDone }: { rate: number; random: Random; isDone: () => Promise<boolean> },
): Promise<SteadyLoad> {
  const agent = new Agent({ keepAlive: true, maxSockets: 256 });
  const latencies = new Map(Object.keys(PATHS).map((kind) => [kind, [] as number[]]));
  const pending: Promise<void>[] = [];
  const start = performance.now();
  let known = NOTHING;
  const ask = async (kind: string, due: number) => {
    const path = PATHS[kind]!(known, random);
    if (path === undefined) return;
    const stolen = countStolen();
    await get(agent, origin + path);
    if (due - start >= WARM_UP) latencies.get(kind)!.push(Math.max(0, performance.now() - due - stolen()));
  };
  const watching = watch(async () => {
    known = await look(agent, origin);
    return isDone();
  });
  for (let sent = 0; !watching.isOver(); sent++) {
    const due = start + (sent * 1000) / rate;
    await delay(Math.max(0, due - performance.now()));
    pending.push(ask(Object.keys(PATHS)[sent % Object.keys(PATHS).length]!, due));
  }
  await watching.end;
  await Promise.all(pending);
  agent.destroy();
  return { latencies };
}

/** Reads blocks at a fixed rate until something has happened; answers the milliseconds from when each was due. */
export async function loadBlocks(
  origin: string,
  { rate, random, until }: { rate: number; random: Random; until: Promise<unknown> },
): Promise<number[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: 256 });
  const latencies: number[] = [];
  const pending: Promise<void>[] = [];
  let isOver = false;
  const end = until.finally(() => {
    isOver = true;
  });
  const { height } = JSON.parse(await get(agent, `${origin}/api/v2/blocks/latest`).catch(() => '{"height":0}')) as {
    height: number;
  };
  const start = performance.now();
  const ask = async (due: number, sent: number) => {
    const number = random.int(height + 1);
    await get(agent, `${origin}/api/v2/${sent % 2 === 0 ? "main-page/blocks" : `blocks/${number}`}`);
    latencies.push(performance.now() - due);
  };
  for (let sent = 0; !isOver; sent++) {
    const due = start + (sent * 1000) / rate;
    await delay(Math.max(0, due - performance.now()));
    pending.push(ask(due, sent));
  }
  await end;
  await Promise.all(pending);
  agent.destroy();
  return latencies;
}

/** Looks once a second until there is no more to see, beside the requests that are measured. */
function watch(look: () => Promise<boolean>) {
  let isOver = false;
  const run = async () => {
    try {
      while (!(await look())) await delay(1000);
    } finally {
      isOver = true;
    }
  };
  return { isOver: () => isOver, end: run() };
}

type PathOf = (known: Known, random: Random) => string | undefined;

const PATHS: Readonly<Record<string, PathOf>> = {
  stats: () => "/api/v2/stats",
  blocks: () => "/api/v2/main-page/blocks",
  block: ({ block }, random) => `/api/v2/blocks/${random.int(block + 1)}`,
  transaction: ({ hashes }, random) => of(hashes, random, (hash) => `/api/v2/transactions/${hash}`),
  logs: ({ hashes }, random) => of(hashes, random, (hash) => `/api/v2/transactions/${hash}/logs`),
  address: ({ addresses }, random) => of(addresses, random, (address) => `/api/v2/addresses/${address}`),
  "address transactions": ({ addresses }, random) =>
    of(addresses, random, (address) => `/api/v2/addresses/${address}/transactions`),
  "token balances": ({ addresses }, random) =>
    of(addresses, random, (address) => `/api/v2/addresses/${address}/token-balances`),
  token: ({ tokens }, random) => of(tokens, random, (token) => `/api/v2/tokens/${token}`),
  holders: ({ tokens }, random) => of(tokens, random, (token) => `/api/v2/tokens/${token}/holders`),
};

function of(list: readonly string[], random: Random, path: (item: string) => string): string | undefined {
  return list.length === 0 ? undefined : path(random.pick(list));
}

interface Listed {
  readonly items: readonly {
    hash: string;
    block_number: number;
    from: { hash: string };
    token_transfers?: readonly { token: { address: string } }[];
  }[];
}

/** Takes what the newest transactions name. */
async function look(agent: Agent, origin: string): Promise<Known> {
  const { items } = JSON.parse(await get(agent, `${origin}/api/v2/transactions?page_size=200`)) as Listed;
  const first = items[0];
  if (first === undefined) return NOTHING;
  const transfers = JSON.parse(
    await get(agent, `${origin}/api/v2/blocks/${first.block_number}/transactions`),
  ) as Listed;
  const records = await Promise.all(
    transfers.items.slice(0, 10).map(async ({ hash }) => get(agent, `${origin}/api/v2/transactions/${hash}`)),
  );
  const tokens = records.flatMap((text) => (JSON.parse(text) as Listed["items"][0]).token_transfers ?? []);
  return {
    hashes: items.map(({ hash }) => hash),
    addresses: items.map(({ from }) => from.hash),
    tokens: tokens.map(({ token }) => token.address),
    block: first.block_number,
  };
}

function get(agent: Agent, url: string): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const call = request(url, { agent }, (response) => {
    const chunks: Buffer[] = [];
    response.on("data", (chunk: Buffer) => chunks.push(chunk));
    response.on("end", () => {
      const text = Buffer.concat(chunks).toString();
      // A stage that is behind for a moment says so.
      if (response.statusCode === 200 || response.statusCode === 503) resolve(text);
      else reject(new Error(`${url} answered ${response.statusCode}: ${text}`));
    });
  });
  call.on("error", reject);
  call.end();
  return promise;
}
