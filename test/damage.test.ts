import assert from "node:assert/strict";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { test } from "node:test";
import { createApp } from "../src/api/app.ts";
import { ERROR_RESPONSES } from "../src/api/http/failure.ts";
import { asChainError, ChainError } from "../src/chain/error.ts";
import { transfersOf } from "../src/indexer/events/transfers.ts";
import { Indexer } from "../src/indexer/indexer.ts";
import { STAGES } from "../src/indexer/stages.ts";
import { auditStore } from "../src/store/audit/audit.ts";
import { openStore, openStoreReadOnly } from "../src/store/openStore.ts";
import { auditTokens } from "../src/store/stages/tokens/audit/tokenAudit.ts";
import type { StoreReader } from "../src/store/storeReader.ts";
import { SETTINGS } from "./support/api.ts";
import { blocksOf } from "./support/plainChain.ts";
import { makeTemporaryDirectory } from "./support/program.ts";
import { Random } from "./support/random.ts";
import { routesOf } from "./support/routes.ts";
import { firstSeed } from "./support/seed.ts";
import { SimulatedChain } from "./support/simulatedChain.ts";
import { simulatedSource } from "./support/simulatedSource.ts";

const SEED = firstSeed();
const CASES = Number(process.env.ORIEL_CASES ?? 3);
const MAX_FLIPPED = 30;

const chain = new SimulatedChain({
  seed: 61,
  traffic: { long: 0.05, addresses: 10, logs: [0, 5], sharedBlobs: 3, miners: 3 },
});
chain.mine(16);

async function makeIndex(directory: string): Promise<Uint8Array> {
  const store = await openStore(directory, chain.chainId);
  const indexer = new Indexer({ store, source: simulatedSource(chain), stages: STAGES });
  while ((await indexer.step()) !== "idle");
  await store.close();
  return readFileSync(join(directory, "index.sqlite"));
}

/** Known records, by parameter name. */
function targets(): Record<string, readonly string[]> {
  const blocks = blocksOf(chain);
  const transactions = blocks.flatMap(({ block }) => block.transactions);
  const every = <T>(items: readonly T[], step: number) => items.filter((_, at) => at % step === 0);
  const emitters = blocks.flatMap(({ receipts }) => receipts.flatMap(({ logs }) => logs.map(({ address }) => address)));
  const tokens = [...new Set(emitters)].slice(0, 3);
  const blobs = transactions.flatMap(({ blobVersionedHashes = [] }) => blobVersionedHashes as string[]).slice(0, 2);
  return {
    address: [...tokens, ...every(transactions, 9).map(({ from }) => from), blocks[3]!.block.miner] as string[],
    hash: [...every(transactions, 7).map(({ hash }) => hash as string), ...blobs],
    id: ["0", "5", "11", blocks[8]!.hash, "16"],
  };
}

/** Every path, with every fitting target. */
function urlsOf(routes: readonly string[]): string[] {
  const known = targets();
  return routes
    .filter((route) => route.startsWith("/api/v2/") || route === "/status")
    .flatMap((route) => {
      const [, name] = /\{(\w+)\}/.exec(route) ?? [];
      return name === undefined ? [route] : known[name]!.map((value) => route.replace(/\{\w+\}/, value));
    })
    .flatMap((url) => (url.endsWith("/search") || url.endsWith("/quick") ? [`${url}?q=${known.hash![0]}`] : [url]));
}

interface Answers {
  readonly urls: readonly string[];
  readonly answers: ReadonlyMap<string, { readonly status: number; readonly body: string }>;
  /** Errors without a code. */
  readonly defects: readonly string[];
}

async function ask(store: StoreReader, urls?: readonly string[]): Promise<Answers> {
  const app = createApp({ store, source: undefined, settings: SETTINGS });
  const defects: string[] = [];
  app.addHook("onError", async (request, _, error) => {
    const isOurs = error instanceof ChainError && error.code !== "internal";
    const cause = (error.cause as Error | undefined)?.stack ?? "";
    if (!isOurs && (error as { statusCode?: number }).statusCode === undefined)
      defects.push(`${request.url}: ${error.stack} ${cause}`);
  });
  await app.ready();
  const asked = urls ?? urlsOf(await routesOf(app));
  const answers = new Map<string, { status: number; body: string }>();
  for (const url of asked) {
    const { statusCode, body } = await app.inject(url);
    answers.set(url, { status: statusCode, body: body.replace(/"uptime_seconds":\d+/, "") });
  }
  await app.close();
  return { urls: asked, answers, defects };
}

/** The first pages say what tables there are: without them nothing opens. */
const SCHEMA = 4 * 8192;

/** Anywhere, but mostly where something is written. */
function place(random: Random, bytes: Uint8Array): number {
  const isAnywhere = random.chance(0.2);
  for (;;) {
    const at = isAnywhere ? random.int(bytes.length) : random.between(SCHEMA, bytes.length - 1);
    if (isAnywhere || bytes[at] !== 0) return at;
  }
}

/** Result of a full verification as the indexer runs it when idle. */
async function findDamage(store: StoreReader): Promise<string[]> {
  try {
    return await store.read(async (session) => [
      ...(await auditStore(session)),
      ...(await auditTokens(session, transfersOf)),
    ]);
  } catch (error) {
    const failure = asChainError(error);
    assert.equal(failure.code, "store_corrupt", String(failure.stack));
    return [failure.message];
  }
}

test("any flipped bytes of an index are detected before a wrong answer, and cause no internal error", async (t) => {
  t.diagnostic(`ORIEL_SEED=${SEED}`);
  const { directory, remove } = makeTemporaryDirectory();
  t.after(remove);
  const good = await makeIndex(directory);
  const undamaged = await openStoreReadOnly(directory);
  const expected = await ask(undamaged);
  await undamaged.close();
  assert.deepEqual(expected.defects, []);
  const found = new Set<string>();
  const seen = { equal: 0, refused: 0, altered: 0, unopened: 0 };

  for (let number = 0; number < CASES; number++) await tryDamage(t, number);

  t.diagnostic(JSON.stringify(seen));
  assert.deepEqual([...found], []);

  async function tryDamage(_: TestContext, number: number): Promise<void> {
    const random = new Random(SEED + number);
    const damaged = Uint8Array.from(good);
    const flips = random.between(1, MAX_FLIPPED);
    for (let flip = 0; flip < flips; flip++) damaged[place(random, good)]! ^= 1 << random.int(8);
    for (const ending of ["-wal", "-shm"]) rmSync(join(directory, `index.sqlite${ending}`), { force: true });
    writeFileSync(join(directory, "index.sqlite"), damaged);
    const label = `ORIEL_SEED=${SEED + number} ORIEL_CASES=1`;
    let store: StoreReader;
    try {
      store = await openStoreReadOnly(directory);
    } catch (error) {
      const { code, stack } = asChainError(error);
      assert.notEqual(code, "internal", `${label}: ${stack}`);
      seen.unopened++;
      return;
    }
    try {
      const { answers, defects } = await ask(store, expected.urls);
      for (const defect of defects) found.add(`${label}: ${defect}`.split("\n").slice(0, 3).join("\n"));
      const altered: string[] = [];
      for (const [url, answer] of answers) {
        const was = expected.answers.get(url)!;
        const { status, message } = ERROR_RESPONSES.store_corrupt;
        const isRefused = answer.status === status && answer.body === JSON.stringify({ message });
        const isEqual = answer.status === was.status && answer.body === was.body;
        seen[isEqual ? "equal" : isRefused ? "refused" : "altered"]++;
        if (!isEqual && !isRefused && url !== "/status") altered.push(`${url}\n${was.body}\n${answer.body}`);
      }
      if (altered.length === 0) return;
      if ((await findDamage(store)).length === 0) found.add(`${label}: nothing was found, and ${altered[0]}`);
    } finally {
      await store.close();
    }
  }
});
