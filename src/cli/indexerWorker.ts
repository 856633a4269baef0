import { availableParallelism } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import type { MessagePort } from "node:worker_threads";
import { parentPort, workerData } from "node:worker_threads";
import type { ErrorCode } from "../chain/error.ts";
import { asChainError } from "../chain/error.ts";
import type { Source } from "../chain/source.ts";
import { BalanceFollower } from "../indexer/balances/balanceFollower.ts";
import type { IndexerState } from "../indexer/follow.ts";
import { follow } from "../indexer/follow.ts";
import type { IndexerEvent, Progress } from "../indexer/indexer.ts";
import { Indexer } from "../indexer/indexer.ts";
import type { IntegrityMode } from "../indexer/integrityPolicy.ts";
import { TokenObserver } from "../indexer/observe/observer.ts";
import { PoolObserver } from "../indexer/observe/poolObserver.ts";
import { STAGES } from "../indexer/stages.ts";
import { TraceFollower } from "../indexer/traces/traceFollower.ts";
import { IdleTime } from "../indexer/verify/idleTime.ts";
import { Verifier } from "../indexer/verify/verifier.ts";
import { PortClient } from "../jsonrpc/port.ts";
import { BackfillThread } from "../source/backfill/backfillThread.ts";
import { parseEndpoint } from "../source/endpoint.ts";
import type { PoolMemberOptions } from "../source/pool/openPool.ts";
import { openPool } from "../source/pool/openPool.ts";
import { Upstream } from "../source/upstream.ts";
import { HeadSubscription } from "../source/ws/headSubscription.ts";
import { lowerThreadPriority } from "../std/threadPriority.ts";
import type { LockToken } from "../store/engine/database.ts";
import { openLockedStore } from "../store/openStore.ts";
import type { Store } from "../store/store.ts";
import { openBlobs } from "./blobArchive.ts";
import { collectWhenIdle } from "./idleCollection.ts";

export interface WorkerSettings {
  /** Without URLs the node is embedded, and the worker receives ports to it. */
  readonly rpc?: readonly string[] | undefined;
  /** Number of nodes that must agree on a state query. */
  readonly quorum?: number;
  /** WebSocket endpoints for new heads; defaults to the HTTP endpoints. */
  readonly rpcWs?: readonly string[] | undefined;
  readonly beacon?: string | undefined;
  /** Days; undefined keeps blobs forever. */
  readonly blobRetention?: number | undefined;
  readonly chainId: number;
  readonly store: string;
  /** Of the lock that the main thread holds. */
  readonly lockToken?: LockToken | undefined;
  readonly fromBlock: number;
  readonly poll: number;
  readonly integrity: IntegrityMode;
  readonly tokens: boolean;
  readonly traces: boolean;
  readonly dev: boolean;
}

/** `kzg` leads to the proof thread, if the node may serve blobs. */
export type IndexerWorkerData = WorkerSettings & { readonly kzg?: MessagePort };

/** The store is open, or failed to open; then progress. */
export type WorkerMessage =
  | { readonly kind: "ready" }
  | { readonly kind: "failed"; readonly code: ErrorCode; readonly message: string }
  | { readonly kind: "progress"; readonly progress: Progress }
  | { readonly kind: "state"; readonly state: IndexerState }
  | { readonly kind: "event"; readonly event: IndexerEvent }
  | { readonly kind: "works" }
  | { readonly kind: "unobserved"; readonly reason: string }
  | { readonly kind: "untraced"; readonly reason: string }
  | { readonly kind: "unranked"; readonly reason: string }
  | { readonly kind: "backfillDied"; readonly reason: string }
  | { readonly kind: "blobsNotArchived"; readonly reason: string }
  | { readonly kind: "unannounced"; readonly reason: string }
  | { readonly kind: "trust"; readonly at: number; readonly reason: string | undefined }
  | { readonly kind: "damaged"; readonly problem: string };

export type WorkerCommand = { readonly port: MessagePort } | "stop";

/** Contract calls have separate sockets and short timeouts, so that a slow contract does not delay blocks. */
const OBSERVING = {
  timeoutMs: 2000,
  bodyTimeoutMs: 2000,
  maxBytes: 16 << 20,
  sockets: 8,
  retry: { attempts: 1, invalidAttempts: 1 },
};

/** Tracing re-executes a block and may be slow, so it has separate sockets. */
const TRACING = { timeoutMs: 60_000, sockets: 4, retry: { attempts: 2, invalidAttempts: 2 } };

/** Runs until there is nothing to observe or the next poll is due. */
async function observeFor(milliseconds: number, observers: readonly Observer[], signal: AbortSignal): Promise<void> {
  const end = performance.now() + milliseconds;
  for (let observed = 1; observed > 0 && !signal.aborted && performance.now() < end; ) {
    observed = 0;
    for (const observer of observers) observed += await observer.round();
  }
}

type Observer = Pick<TokenObserver, "round">;

/** Separate sockets for blocks, contract calls and traces. */
function openSources(
  { rpc, chainId, dev, quorum }: WorkerSettings,
  port: PortClient,
  post: (message: WorkerMessage) => void,
) {
  const onTrust = (at: number, reason: string | undefined) => post({ kind: "trust", at, reason });
  const onDeath = (reason: string) => post({ kind: "backfillDied", reason });
  const open = (options: PoolMemberOptions) =>
    rpc === undefined ? new Upstream({ port, chainId, ...options }) : openPool(rpc, { chainId, quorum, ...options });
  const source = open({ authoritative: dev, onTrust });
  // On a single core another thread would only take turns with this one.
  const backfill =
    rpc === undefined || availableParallelism() === 1
      ? undefined
      : new BackfillThread({ urls: rpc, chainId, authoritative: dev, quorum, onTrust, onDeath }, source);
  return { source, backfill, observed: open(OBSERVING), traced: open(TRACING) };
}

/** A node without WebSocket is only reported if one was configured. */
function openSubscriptions(
  { rpc = [], rpcWs }: WorkerSettings,
  onHead: () => void,
  post: (message: WorkerMessage) => void,
) {
  const urls = rpcWs ?? rpc.filter((url) => parseEndpoint(url).proxy === undefined);
  const onError = rpcWs && ((reason: string) => post({ kind: "unannounced", reason }));
  return urls.map((url) => new HeadSubscription({ url, onHead, ...(onError && { onError }) }));
}

/** Stages that follow the core: traces and native balances. */
function openFollowers(store: Store, source: Source, post: (message: WorkerMessage) => void) {
  const onUntraced = (reason: string) => post({ kind: "untraced", reason });
  const onUnranked = (reason: string) => post({ kind: "unranked", reason });
  return {
    traces: new TraceFollower({ store, source, onError: onUntraced }),
    balances: new BalanceFollower({ store, source, onError: onUnranked }),
  };
}

function openObservers(store: Store, source: Source, post: (message: WorkerMessage) => void): Observer[] {
  const options = { store, source, onError: (reason: string) => post({ kind: "unobserved", reason }) };
  return [new TokenObserver(options), new PoolObserver(options)];
}

const REOPEN_INTERVAL = 500;

/** The database was reachable when the lock was taken. */
async function openWhenReachable({ store, chainId, lockToken }: WorkerSettings): Promise<Store> {
  for (;;) {
    try {
      return await openLockedStore(store, chainId, lockToken);
    } catch (error) {
      if (asChainError(error).code !== "store_unavailable") throw error;
      await delay(REOPEN_INTERVAL);
    }
  }
}

/** Worker entry point: fetches, checks and writes until stopped. */
async function run(parent: MessagePort, { kzg, ...settings }: IndexerWorkerData): Promise<void> {
  const post = (message: WorkerMessage) => parent.postMessage(message);
  const stopping = new AbortController();
  // Serving has priority over indexing.
  lowerThreadPriority();
  const store = await openWhenReachable(settings);
  const port = new PortClient();
  const { source, backfill, observed, traced } = openSources(settings, port, post);
  let subscriptions: readonly HeadSubscription[] = [];
  parent.on("message", (command: WorkerCommand) => {
    if (command !== "stop") {
      port.use(command.port);
      return;
    }
    stopping.abort();
    for (const subscription of subscriptions) subscription.close();
    for (const each of [source, backfill, observed, traced]) void each?.close();
  });
  post({ kind: "ready" });
  let hasWorked = false;
  const work = () => {
    if (!hasWorked) post({ kind: "works" });
    hasWorked = true;
  };
  const blobs = kzg && openBlobs(kzg, store, settings, (reason) => post({ kind: "blobsNotArchived", reason }));
  const { traces, balances } = settings.traces ? openFollowers(store, traced, post) : {};
  const indexer = new Indexer({
    store,
    source,
    backfill,
    fromBlock: settings.fromBlock,
    integrity: settings.integrity,
    stages: settings.tokens ? STAGES : [],
    traces,
    balances,
    keepBlobs: blobs?.keep,
    onProgress: (progress) => {
      work();
      if (progress.indexed === progress.head) for (const each of subscriptions) each.noteBlock();
      post({ kind: "progress", progress });
    },
    onEvent: (event) => post({ kind: "event", event }),
  });
  const onState = (state: IndexerState) => post({ kind: "state", state });
  const observers = openObservers(store, observed, post);
  const idle = new IdleTime(stopping.signal);
  const onDamage = (problem: string) => post({ kind: "damaged", problem });
  const verifier = new Verifier({ url: settings.store, store, idle, signal: stopping.signal, onDamage });
  const isVerified = verifier.run();
  await follow({
    store,
    indexer,
    signal: stopping.signal,
    pollMilliseconds: settings.poll,
    watch: (listener) => {
      source.watch(listener);
      if (!stopping.signal.aborted) subscriptions = openSubscriptions(settings, listener, post);
      traces?.watch(listener);
      balances?.watch(listener);
    },
    onState,
    onStep: work,
    onIdle: async (signal) => {
      idle.begin(settings.poll, signal);
      if (settings.tokens) await observeFor(settings.poll, observers, signal);
    },
  });
  await isVerified;
  await blobs?.close();
  await store.close();
}

if (parentPort !== null) {
  collectWhenIdle();
  const data: IndexerWorkerData = workerData;
  try {
    await run(parentPort, data);
  } catch (error) {
    const { code, message } = asChainError(error);
    parentPort.postMessage({ kind: "failed", code, message } satisfies WorkerMessage);
    // Ends this thread only. Its connections would keep it alive.
    process.exit();
  }
  parentPort.close();
}
