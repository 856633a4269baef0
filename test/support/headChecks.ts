import type { TestContext } from "node:test";
import type { FastifyInstance } from "fastify";
import { createApp } from "../../src/api/app.ts";
import type { Head } from "../../src/chain/source.ts";
import { follow } from "../../src/indexer/follow.ts";
import type { IndexerEvent } from "../../src/indexer/indexer.ts";
import { Indexer } from "../../src/indexer/indexer.ts";
import type { UpstreamOptions } from "../../src/source/upstream.ts";
import { Upstream } from "../../src/source/upstream.ts";
import { IN_MEMORY } from "../../src/store/engine/databases.ts";
import { openStore } from "../../src/store/openStore.ts";
import type { Store } from "../../src/store/store.ts";
import { type Json, SETTINGS } from "./api.ts";
import type { SimulatedChain } from "./simulatedChain.ts";
import type { SimulatedNode } from "./simulatedNode.ts";
import { startSimulatedNode } from "./simulatedNode.ts";

const WEB = { coin: "ETH", isTestnet: false, others: [], accounts: undefined };

class SteppedUpstream extends Upstream {
  /** Settles when the indexer asks for the head. */
  headRequested = Promise.withResolvers<void>();
  step = Promise.withResolvers<void>();

  override async head(): Promise<Head> {
    this.headRequested.resolve();
    await this.step.promise;
    this.step = Promise.withResolvers<void>();
    return super.head();
  }
}

class InstrumentedUpstream extends Upstream {
  readonly #listeners: (() => void)[] = [];

  override watch(listener: () => void): void {
    this.#listeners.push(listener);
  }

  notify(): void {
    for (const listener of this.#listeners) listener();
  }
}

/** A follower of a simulated node that checks the head on command, one second after another, and the app over its index. */
export interface HeadChecks {
  readonly node: SimulatedNode;
  readonly store: Store;
  readonly app: FastifyInstance;
  readonly events: readonly IndexerEvent[];
  /** Resolves after the effects of the last check. */
  checkHead(count?: number): Promise<void>;
  /** Drops the app's cached head first. */
  get(url: string): Promise<{ status: number; body: Json }>;
  read(url: string): Promise<{ status: number; body: Json; fork: string | undefined }>;
  page(url: string): Promise<string>;
}

export async function openHeadChecks(
  t: TestContext,
  chain: SimulatedChain,
  upstream: Partial<UpstreamOptions> = {},
): Promise<HeadChecks> {
  const node = await startSimulatedNode(chain);
  const options = { url: node.url, retry: { attempts: 2, baseMs: 1, maxDelayMs: 2 }, ...upstream };
  const source = new SteppedUpstream(options);
  const served = new InstrumentedUpstream(options);
  const store = await openStore(IN_MEMORY, chain.chainId);
  const app = createApp({ store, source: served, settings: { ...SETTINGS, web: WEB } });
  const stopping = new AbortController();
  const events: IndexerEvent[] = [];
  let now = 0;
  const onEvent = (event: IndexerEvent) => events.push(event);
  const indexer = new Indexer({ store, source, integrity: "enforce", now: () => now, onEvent });
  const ended = follow({ store, indexer, signal: stopping.signal, pollMilliseconds: 0 });
  t.after(async () => {
    stopping.abort();
    source.step.resolve();
    await source.close();
    await ended;
    await app.close();
    await served.close();
    await node.close();
    await store.close();
  });
  const read = async (url: string) => {
    const response = await app.inject({ method: "GET", url });
    const fork = response.headers["oriel-index-fork"] as string | undefined;
    return { status: response.statusCode, body: response.json<Json>(), fork };
  };
  return {
    node,
    store,
    app,
    events,
    checkHead: async (count = 1) => {
      for (let i = 0; i < count; i++) {
        await source.headRequested.promise;
        source.headRequested = Promise.withResolvers<void>();
        now += 1000;
        source.step.resolve();
        await source.headRequested.promise;
      }
    },
    read,
    get: async (url) => {
      served.notify();
      const { status, body } = await read(url);
      return { status, body };
    },
    page: async (url) => (await app.inject({ method: "GET", url, headers: { accept: "text/html" } })).body,
  };
}
