import assert from "node:assert/strict";
import type { FastifyInstance } from "fastify";
import type { AppOptions } from "../../src/api/app.ts";
import { createApp } from "../../src/api/app.ts";
import type { AppSettings } from "../../src/api/settings.ts";
import type { Source } from "../../src/chain/source.ts";
import { Indexer } from "../../src/indexer/indexer.ts";
import { STAGES } from "../../src/indexer/stages.ts";
import { TraceFollower } from "../../src/indexer/traces/traceFollower.ts";
import type { RpcBackend } from "../../src/jsonrpc/backend.ts";
import type { ExchangeSettings } from "../../src/query/exchange/exchangeSettings.ts";
import type { MetadataDocuments } from "../../src/query/itemMetadata.ts";
import { IN_MEMORY } from "../../src/store/engine/databases.ts";
import { openStore } from "../../src/store/openStore.ts";
import type { Store } from "../../src/store/store.ts";
import { checkAnswers } from "./answerSchemas.ts";
import { indexTraced } from "./indexTraced.ts";
import { SimulatedChain, type SimulatedChainOptions } from "./simulatedChain.ts";
import { simulatedSource } from "./simulatedSource.ts";

export const SETTINGS: AppSettings = {
  version: "0.0.0",
  chainId: 677,
  chainName: "Simulated",
  blobUpdateFraction: 5_007_716,
};

export interface Json {
  [key: string]: unknown;
}

/** A simulated chain, the index of it and the app over both. */
export interface Served {
  readonly chain: SimulatedChain;
  readonly store: Store;
  readonly app: FastifyInstance;
  index(): Promise<void>;
  /** The same without traces. */
  indexBlocks(): Promise<void>;
  get(url: string): Promise<{ status: number; body: Json; headers: Json }>;
  /** Fails if a response was invalid according to `/openapi.json`. */
  expectDescribed(): void;
  close(): Promise<void>;
}

export interface ServeOptions extends SimulatedChainOptions {
  readonly blocks?: number;
  /** URL of an empty store; by default one in memory. */
  readonly storeUrl?: string;
  readonly fromBlock?: number;
  /** Keeps the tokens stage as well. */
  readonly tokens?: boolean;
  /** Keeps the traces stage as well. */
  readonly traces?: boolean;
  /** The source the app asks; the index always follows the chain itself. */
  readonly source?: (chain: SimulatedChain) => Source | undefined;
  readonly settings?: Partial<AppSettings>;
  readonly rpc?: (chain: SimulatedChain) => RpcBackend;
  readonly exchange?: ExchangeSettings;
  readonly documents?: MetadataDocuments;
  readonly verification?: AppOptions["verification"];
}

export async function serveChain(options: ServeOptions): Promise<Served> {
  const chain = new SimulatedChain(options);
  const store = await openStore(options.storeUrl ?? IN_MEMORY, chain.chainId);
  const source = options.source === undefined ? simulatedSource(chain) : options.source(chain);
  const settings = { ...SETTINGS, ...options.settings };
  const app = createApp({
    store,
    source,
    settings,
    rpc: options.rpc?.(chain),
    exchange: options.exchange,
    documents: options.documents,
    verification: options.verification,
  });
  const expectDescribed = checkAnswers(app);
  const follower = simulatedSource(chain, { authoritative: true });
  const traces = new TraceFollower({ store, source: follower });
  const indexer = new Indexer({
    store,
    source: follower,
    fromBlock: options.fromBlock ?? 0,
    stages: options.tokens ? STAGES : [],
    traces: options.traces ? traces : undefined,
  });
  const index = async () => {
    await indexTraced(indexer, traces)();
    await store.setMeta({ indexer: JSON.stringify({ state: "running" }) });
  };
  const indexBlocks = async () => {
    const blocks = new Indexer({ store, source: follower, fromBlock: 0, stages: options.tokens ? STAGES : [] });
    while ((await blocks.step()) !== "idle");
  };
  if (options.blocks !== undefined) {
    chain.mine(options.blocks);
    await index();
  }
  const close = async () => {
    await closeBoth(app, store);
    expectDescribed();
  };
  const getDescribed = async (url: string) => {
    const answer = await get(app, url);
    expectDescribed();
    return answer;
  };
  return { chain, store, app, index, indexBlocks, get: getDescribed, expectDescribed, close };
}

async function get(app: FastifyInstance, url: string): Promise<{ status: number; body: Json; headers: Json }> {
  const response = await app.inject({ method: "GET", url });
  assert.match(String(response.headers["content-type"]), /^application\/json/, url);
  return { status: response.statusCode, body: response.json<Json>(), headers: response.headers };
}

async function closeBoth(app: FastifyInstance, store: Store): Promise<void> {
  await app.close();
  await store.close();
}
