import { fork } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { createApp } from "../src/api/app.ts";
import { quantity, toHex } from "../src/chain/encoding/hex.ts";
import { versionedHash } from "../src/chain/hashing/versionedHash.ts";
import { Gateway } from "../src/gateway/gateway.ts";
import { Indexer } from "../src/indexer/indexer.ts";
import { openPool } from "../src/source/pool/openPool.ts";
import { Upstream } from "../src/source/upstream.ts";
import { BlobStore } from "../src/store/blobStore.ts";
import { openStore, openStoreReadOnly } from "../src/store/openStore.ts";
import type { Store } from "../src/store/store.ts";
import type { StoreReader } from "../src/store/storeReader.ts";
import { DevelopmentNode } from "../test/support/developmentNode.ts";
import { serveBodies } from "../test/support/gatewayChain.ts";
import { Random } from "../test/support/random.ts";
import { BareRoute } from "./support/bare.ts";
import { LoadClient } from "./support/load.ts";
import { printBars, printTable, writeResult } from "./support/measure.ts";
import { indexAll, mean, takeTurns } from "./support/turns.ts";
import { startUpstream } from "./support/upstream.ts";

const TURNS = 10;
/** Turns before any is measured: V8 compiles what is asked for often. */
const WARM_UP = 20;
const SMALL_CALLS = 300;
const STORED_CALLS = 300;
const BLOBS = 6;
/** More blocks of blobs than the gateway keeps answers for. */
const BLOB_BLOCKS = 90;
const BLOB_CALLS = 30;

const cleanups: (() => unknown)[] = [];
const cleaning = { after: (work: () => unknown) => void cleanups.push(work) };

export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({ args, options: { blocks: { type: "string", default: "200" } } });
  const client = new LoadClient();
  cleaning.after(() => client.close());
  const delays = monitorEventLoopDelay({ resolution: 5 });
  const measured = async (kinds: Parameters<typeof takeTurns>[1]) => {
    delays.enable();
    const result = await takeTurns(client, kinds, TURNS, mean, WARM_UP);
    delays.disable();
    return result;
  };
  const passed = await passThrough(measured);
  const stored = await storedRecords(measured, Number(values.blocks));
  const blobs = await archivedBlobs(measured);
  const delay = delays.percentile(99) / 1e6;
  for (const work of cleanups.reverse()) await work();
  printTable("CPU of a request in microseconds", Object.entries({ ...passed, ...stored, ...blobs }).map(rowOf));
  printBars([
    { what: "pass-through, of a bare proxy", value: passed.proxy / passed.gateway, atLeast: 0.7 },
    { what: "a stored transaction, of a bare route", value: stored.bareTransaction / stored.transaction, atLeast: 0.2 },
    { what: "a stored receipt, of a bare route", value: stored.bareReceipt / stored.receipt, atLeast: 0.2 },
    { what: "six cached blobs, of a static buffer", value: blobs.static / blobs.cached, atLeast: 0.6 },
    { what: "six archived blobs, of a static buffer", value: blobs.static / blobs.archived, atLeast: 0.2 },
    { what: "event-loop delay, 99th percentile, ms", value: delay, atMost: 50 },
  ]);
  writeResult("rpc", { passed, stored, blobs, delay });
}

type Measure = (kinds: Parameters<typeof takeTurns>[1]) => Promise<number[]>;

const rowOf = ([name, value]: [string, number]) => [name, value.toFixed(0)] as const;

const bodyOf = (method: string, params: readonly unknown[]) =>
  JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });

async function serve(store: StoreReader, url: string, blobs?: BlobStore): Promise<string> {
  const upstreams = openPool([url], { chainId: await store.latest.chainId(), sockets: 32 });
  const rules = { isDevelopment: false, allowed: [], acceptsCellProofs: true, unboundedLogs: true };
  const chainId = await store.latest.chainId();
  const gateway = new Gateway({ chainId, store, blobs, upstreams, ...rules });
  const app = createApp({ store, rpc: gateway, settings: { version: "0", chainId, chainName: "Bench" } });
  cleaning.after(async () => {
    await app.close();
    await upstreams.close();
  });
  return app.listen({ port: 0, host: "127.0.0.1" });
}

function memoryStore(chainId: number): Promise<Store> {
  const directory = mkdtempSync(join(tmpdir(), "oriel-bench-"));
  cleaning.after(() => rmSync(directory, { recursive: true }));
  return openStore(directory, chainId);
}

async function passThrough(measured: Measure) {
  const child = fork(fileURLToPath(new URL("./support/echoNode.ts", import.meta.url)));
  cleaning.after(() => child.disconnect());
  const [url] = (await once(child, "message")) as [string];
  const store = await memoryStore(677);
  const origin = await serve(store, url);
  cleaning.after(() => store.close());
  const bare = await BareRoute.proxy(url, 0);
  cleaning.after(() => bare.close());
  const paths = new Array<string>(SMALL_CALLS).fill("/rpc");
  const bodies = (turn: number) =>
    paths.map((_, at) =>
      bodyOf("eth_call", [{ to: `0x${"12".repeat(20)}`, data: `0x${turn + WARM_UP}${at}` }, "latest"]),
    );
  const [gateway = 0, proxy = 0] = await measured([
    (turn) => ({ origin, paths, bodies: bodies(turn) }),
    (turn) => ({ origin: bare.origin, paths, bodies: bodies(turn), cpu: () => bare.cpu() }),
  ]);
  return { gateway, proxy };
}

async function storedRecords(measured: Measure, blocks: number) {
  const upstream = await startUpstream("busy", blocks, 1);
  cleaning.after(() => upstream.close());
  const directory = mkdtempSync(join(tmpdir(), "oriel-bench-"));
  cleaning.after(() => rmSync(directory, { recursive: true }));
  await indexAll(directory, upstream.url);
  const store = await openStoreReadOnly(directory);
  const origin = await serve(store, upstream.url);
  cleaning.after(() => store.close());
  const hashes: string[] = [];
  for (let number = 1; number < blocks; number++) {
    for (const { transaction } of await store.read(({ transactions }) => transactions.inBlock(number, 0, 60))) {
      hashes.push(toHex(transaction.hash));
    }
  }
  const shuffled = new Random(1).shuffle(hashes);
  if (shuffled.length < (TURNS + WARM_UP + 1) * STORED_CALLS) throw new Error("too few transactions");
  const ask = async (method: string, hash: string): Promise<string> => {
    const headers = { "content-type": "application/json" };
    const response = await fetch(`${origin}/rpc`, { method: "POST", headers, body: bodyOf(method, [hash]) });
    return JSON.stringify(await response.json());
  };
  const kinds = { transaction: "eth_getTransactionByHash", receipt: "eth_getTransactionReceipt" };
  const costs: number[][] = [];
  for (const method of Object.values(kinds)) {
    const texts: string[] = [];
    for (const hash of shuffled.slice(0, STORED_CALLS)) texts.push(await ask(method, hash));
    const bare = await BareRoute.start(texts);
    cleaning.after(() => bare.close());
    const paths = new Array<string>(STORED_CALLS).fill("/rpc");
    const bodies = (turn: number) => {
      const first = (turn + WARM_UP + 1) * STORED_CALLS;
      return shuffled.slice(first, first + STORED_CALLS).map((hash) => bodyOf(method, [hash]));
    };
    costs.push(
      await measured([
        (turn) => ({ origin, paths, bodies: bodies(turn) }),
        () => ({ origin: bare.origin, paths: texts.map((_, at) => `/${at}`), cpu: () => bare.cpu() }),
      ]),
    );
  }
  const [[transaction = 0, bareTransaction = 0] = [], [receipt = 0, bareReceipt = 0] = []] = costs;
  return { transaction, bareTransaction, receipt, bareReceipt };
}

async function archivedBlobs(measured: Measure) {
  const directory = mkdtempSync(join(tmpdir(), "oriel-bench-"));
  cleaning.after(() => rmSync(directory, { recursive: true }));
  const blobs = new BlobStore(directory);
  cleaning.after(() => blobs.close());
  const store = await memoryStore(968);
  cleaning.after(() => store.close());
  await indexBlobs(store, blobs);
  // All is indexed and archived, and the node is gone.
  const origin = await serve(store, "http://127.0.0.1:1", blobs);
  const bare = await BareRoute.proxy(origin, BLOBS * (2 * 131_072 + 250) + 300);
  cleaning.after(() => bare.close());
  const paths = new Array<string>(BLOB_CALLS).fill("/rpc");
  const body = (number: number) => bodyOf("eth_getBlobSidecars", [quantity(number)]);
  const [archived = 0, cached = 0, fixed = 0] = await measured([
    (turn) => ({ origin, paths, bodies: paths.map((_, at) => body(2 + (((turn + WARM_UP) * BLOB_CALLS + at) % 88))) }),
    () => ({ origin, paths, bodies: paths.map(() => body(1)) }),
    () => ({
      origin: bare.origin,
      paths: paths.map(() => "/static"),
      bodies: paths.map(() => body(1)),
      cpu: () => bare.cpu(),
    }),
  ]);
  return { archived, cached, static: fixed };
}

/** A chain of blocks with six blobs each, which is left behind in the store and the archive. */
async function indexBlobs(store: Store, blobs: BlobStore): Promise<void> {
  const node = await DevelopmentNode.open();
  for (let block = 0; block < BLOB_BLOCKS; block++) await mineBlobs(node, blobs);
  const { url } = await serveBodies(cleaning, (body) => node.node.handle(body, true));
  const source = new Upstream({ url, chainId: 968 });
  const indexer = new Indexer({ store, source, stages: [] });
  while ((await indexer.step()) !== "idle");
  await source.close();
  await node.close();
}

/** A block with one transaction of six random blobs, which the node takes on trust and the archive has. */
async function mineBlobs(node: DevelopmentNode, blobs: BlobStore): Promise<void> {
  const kept = Array.from({ length: BLOBS }, () => {
    const [data, commitment, proof] = [randomBytes(131_072), randomBytes(48), randomBytes(48)];
    return { name: versionedHash(commitment), data, commitment, proof };
  });
  await blobs.add(kept);
  await node.send({
    type: "eip4844",
    maxFeePerBlobGas: 10n ** 12n,
    blobVersionedHashes: kept.map(({ name }) => toHex(name)),
    sidecars: kept.map(({ data, commitment, proof }) => ({
      blob: toHex(data),
      commitment: toHex(commitment),
      proof: toHex(proof),
    })),
  });
}
