import type { FastifyBaseLogger, FastifyInstance } from "fastify";
import { createApp, createStatusApp } from "../api/app.ts";
import type { FundedAccount } from "../api/settings.ts";
import { asChainError, ChainError } from "../chain/error.ts";
import type { Source } from "../chain/source.ts";
import type { Settings } from "../config.ts";
import { readUrlsOf, storeUrlOf } from "../config.ts";
import type { DemonstratedContracts } from "../demo/demonstratedContracts.ts";
import { Gateway } from "../gateway/gateway.ts";
import type { IndexerEvent } from "../indexer/indexer.ts";
import type { IntegrityMode } from "../indexer/integrityPolicy.ts";
import type { KzgThread } from "../node/blobs/kzgThread.ts";
import { hasChain } from "../node/chainFile.ts";
import { BOUNDED_CHAINS } from "../node/logs/logRange.ts";
import { Activity } from "../query/activity.ts";
import { openPool } from "../source/pool/openPool.ts";
import type { Pool } from "../source/pool/pool.ts";
import { Upstream } from "../source/upstream.ts";
import { BlobStore } from "../store/blobStore.ts";
import { ContractStore } from "../store/contracts/contractStore.ts";
import type { LockToken } from "../store/engine/database.ts";
import { describeUrl } from "../store/engine/databases.ts";
import { hasStore, openReaderWhenReady, openStoreReadOnly } from "../store/openStore.ts";
import type { ReaderOptions, StoreReader } from "../store/storeReader.ts";
import type { Access } from "./appSettings.ts";
import { accessOf, appSettings } from "./appSettings.ts";
import { faultReports } from "./faultReports.ts";
import { IndexerThread } from "./indexerThread.ts";
import type { IndexedBlocks } from "./indexing.ts";
import { Indexing, PROCESS_NAME } from "./indexing.ts";
import {
  codeSizeLimitOf,
  compilersOf,
  documentsOf,
  exchangeSettings,
  expectQuorum,
  expectReplica,
  integrityMode,
} from "./networkSettings.ts";
import type { Target } from "./networks.ts";
import { NodeThread } from "./nodeThread.ts";
import type { ProgressLine } from "./progress.ts";
import { storeDemonstrated } from "./storeDemonstrated.ts";

interface Shared {
  readonly kzg: KzgThread;
  readonly logger: FastifyBaseLogger;
  readonly targets: readonly Target[];
  readonly role: NetworkRole;
}

/** `start` does both. */
export type NetworkRole = "start" | "index" | "serve";

type Accounts = Promise<readonly FundedAccount[]> | undefined;

export interface Serving {
  readonly name: string | undefined;
  readonly chainId: number;
  readonly node: string;
  readonly url: string;
  readonly data: string;
  /** Of the index, if it is not in the data directory. */
  readonly store: string | undefined;
  readonly integrity: IntegrityMode;
  /** Prefunded accounts of an embedded chain. */
  readonly accounts?: readonly FundedAccount[];
  readonly access?: Access;
}

/**
 * One chain with its own directory and threads. Failures are isolated: threads restart without affecting other
 * networks.
 */
export class Network implements AsyncDisposable {
  readonly #name: string | undefined;
  readonly #settings: Settings;
  readonly #progress: ProgressLine;
  readonly #shared: Shared;
  readonly #running = new AsyncDisposableStack();
  readonly #stopping = new AbortController();
  readonly #activity = new Activity(PROCESS_NAME);
  readonly #role: NetworkRole;
  #node: NodeThread | undefined;
  #indexing: Indexing | undefined;
  /** Node pools of the serving thread. */
  readonly #pools: Pool[] = [];
  /** Sources of megabytes, released once they are stored. */
  #demonstrated = Promise.withResolvers<DemonstratedContracts>();

  constructor({ name, settings }: Target, progress: ProgressLine, shared: Shared) {
    this.#name = name;
    this.#role = shared.role;
    this.#settings = settings;
    this.#progress = progress;
    this.#shared = shared;
    this.#running.defer(() => progress.end());
  }

  /** Serves what is indexed; indexing starts later, so that startup does not wait for it. */
  async serve(): Promise<Serving> {
    const { data, rpc } = this.#settings;
    const storeUrl = storeUrlOf(this.#settings);
    expectQuorum(this.#settings);
    expectReplica(this.#settings);
    const chainId = rpc === undefined ? this.#settings["chain-id"]! : await this.#connect(rpc);
    // The lock is held from here on, so that a second process is refused before either indexes.
    const indexed = this.#role === "serve" ? undefined : await this.#prepareIndexing(chainId);
    if (rpc === undefined && indexed !== undefined) expectChain(data, indexed.newest);
    if (indexed !== undefined) this.#noteFirst(indexed.first);
    const accounts = rpc === undefined ? this.#startNode(chainId) : undefined;
    const source = this.#running.adopt(this.#openSource(chainId), (opened) => opened.close());
    // After the readers: the last connection to close checkpoints the WAL, which a reader cannot.
    this.#running.defer(() => this.#indexing?.stop());
    const app =
      this.#role === "index"
        ? await this.#createStatusApp(chainId, source)
        : await this.#createApp(chainId, storeUrl, source, accounts);
    this.#running.defer(() => app.close());
    const url = await listen(app, this.#settings);
    const integrity = integrityMode(this.#settings);
    const named = this.#settings.store && describeUrl(this.#settings.store);
    const serving = { name: this.#name, chainId, node: source.name, url, data, store: named, integrity };
    if (accounts === undefined) return serving;
    return { ...serving, accounts: await accounts, access: accessOf(this.#settings) };
  }

  async #createApp(chainId: number, storeUrl: string, source: Source, accounts: Accounts): Promise<FastifyInstance> {
    const contracts = this.#running.adopt(await ContractStore.open(storeUrl), (opened) => opened.close());
    const store = await this.#openReader(chainId, { verified: contracts.verifiedContracts });
    contracts.watch((reason) => this.#progress.line(`imported ABIs are not looked at for now: ${reason}`));
    const blobs =
      accounts === undefined ? this.#running.adopt(new BlobStore(storeUrl), (opened) => opened.close()) : undefined;
    if (this.#demonstration !== undefined) this.#storeDemonstrated(contracts);
    return createApp({
      store,
      blobs,
      source,
      abis: contracts,
      verification: { contracts, compilers: compilersOf(this.#settings) },
      settings: appSettings(this.#settings, chainId, this.#shared, accounts),
      activity: this.#activity,
      rpc: this.#node ?? this.#openGateway(chainId, store, blobs),
      documents: documentsOf(this.#settings),
      exchange: await exchangeSettings(this.#settings, this.#demonstration),
      onActivity: this.#node && (() => this.#node?.noteActivity()),
    });
  }

  #storeDemonstrated(contracts: ContractStore): void {
    const onError = (reason: string) =>
      this.#progress.line(`the demonstration's contracts are not verified: ${reason}`);
    const release = () => {
      this.#demonstrated = Promise.withResolvers();
    };
    const storing = storeDemonstrated(contracts, this.#demonstrated.promise, this.#stopping.signal, onError);
    const released = storing.finally(release);
    this.#running.defer(() => released);
  }

  async #createStatusApp(chainId: number, source: Source): Promise<FastifyInstance> {
    const store = await this.#openReader(chainId);
    const settings = appSettings(this.#settings, chainId, this.#shared, undefined);
    return createStatusApp({ store, source, activity: this.#activity, settings });
  }

  /** Waits for the process that creates the index. */
  async #openReader(chainId: number, options?: ReaderOptions): Promise<StoreReader> {
    const onWait = (reason: string) => this.#progress.line(`${reason}; waiting for a process that indexes`);
    const { url, primary } = readUrlsOf(this.#settings);
    const opening = openReaderWhenReady(url, chainId, { ...options, primary, signal: this.#stopping.signal, onWait });
    return this.#running.adopt(await opening, (opened) => opened.close());
  }

  async follow(): Promise<void> {
    if (this.#running.disposed) return;
    await this.#indexing?.follow();
  }

  #prepareIndexing(chainId: number): Promise<IndexedBlocks | undefined> {
    this.#indexing = new Indexing({
      storeUrl: storeUrlOf(this.#settings),
      chainId,
      canStandBy: this.#settings.rpc !== undefined,
      createThread: (token) => this.#createIndexer(chainId, token),
      activity: this.#activity,
      progress: this.#progress,
    });
    // Released if the start fails.
    this.#running.defer(() => this.#indexing?.stop());
    return this.#indexing.prepare();
  }

  #createIndexer(chainId: number, lockToken: LockToken | undefined): IndexerThread {
    const { rpc, poll, tokens, dev } = this.#settings;
    const progress = this.#progress;
    const node = this.#node;
    const { traces = rpc === undefined } = this.#settings;
    const settings = {
      rpc,
      quorum: this.#settings.quorum,
      rpcWs: this.#settings["rpc-ws"],
      beacon: this.#settings.beacon,
      blobRetention: this.#settings["blob-retention"],
      store: storeUrlOf(this.#settings),
      lockToken,
      poll,
      integrity: integrityMode(this.#settings),
      tokens,
      traces,
      chainId,
      fromBlock: this.#settings["from-block"] ?? 0,
    };
    return new IndexerThread(
      { ...settings, dev: dev || node !== undefined },
      {
        onProgress: (notice) => progress.progress(notice),
        onState: (state) => progress.state(state),
        ...faultReports(progress),
        onTrust: (at, reason) => this.#noteTrust(at, reason),
        onEvent: (event) => this.#noteEvent(event),
        onRestart: (reason) => this.#recordCrash("indexer", reason),
        onWork: () => this.#activity.works("indexer"),
      },
      node === undefined ? { kzg: () => this.#shared.kzg.connect() } : { node: () => node.connect() },
    );
  }

  /** Shares the indexer's verdict on a node with the serving pools. */
  #noteTrust(at: number, reason: string | undefined): void {
    for (const pool of this.#pools) pool.report(at, reason);
    const name = this.#pools[0]?.states[at]?.name;
    this.#progress.line(
      `node ${name} ${reason === undefined ? "gives true data again" : `gives false data: ${reason}`}`,
    );
  }

  /** The first block of an index is fixed. */
  #noteFirst(first: number): void {
    const { "from-block": fromBlock = first } = this.#settings;
    if (fromBlock === first) return;
    const advice = "leave the setting out, or choose another --data directory for an index that begins there";
    this.#progress.line(
      `--from-block ${fromBlock} has no effect: the index in ${describeUrl(storeUrlOf(this.#settings))} begins at block ${first}; ${advice}`,
    );
  }

  #noteEvent(event: IndexerEvent): void {
    const seconds = event.milliseconds / 1000;
    this.#progress.event(event);
    if (event.kind === "unwound") this.#activity.note({ kind: "unwound", blocks: event.from - event.to, seconds });
    else this.#activity.note({ ...event, seconds });
  }

  #recordCrash(thread: "indexer" | "node", reason: string): void {
    this.#activity.ended(thread, reason);
    // The next thread re-evaluates the nodes.
    if (thread === "indexer") for (const pool of this.#pools) pool.forgetReports();
    this.#progress.line(`the ${thread} ended (${reason}) and starts again`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort();
    await this.#running.disposeAsync();
  }

  /** Name of the network if its chain has a demonstration. */
  get #demonstration(): string | undefined {
    const { rpc, demo } = this.#settings;
    return rpc === undefined && demo ? this.#name : undefined;
  }

  #startNode(chainId: number): Promise<readonly FundedAccount[]> {
    const { data: directory, accounts, mnemonic } = this.#settings;
    const blockTime = this.#settings["block-time"];
    const gasLimit = this.#settings["gas-limit"];
    const seed = String(this.#settings["demo-seed"]);
    const network = this.#demonstration;
    const demo = network === undefined ? undefined : { network, seed };
    const acceptsCellProofs = this.#settings["cell-proofs"];
    const unboundedLogs = this.#settings["unbounded-logs"];
    const chain = { directory, chainId, blockTime, accounts, mnemonic, gasLimit };
    const { hardfork, predeploys } = this.#settings;
    const codeSizeLimit = codeSizeLimitOf(this.#settings);
    const settings = { ...chain, hardfork, predeploys, codeSizeLimit, acceptsCellProofs, unboundedLogs, demo };
    const node = new NodeThread(settings, this.#shared.kzg, {
      onError: (reason) => this.#shared.logger.error({ network: this.#name, reason }, "the node met a defect"),
      onNotice: (notice) => this.#progress.line(notice),
      onDemonstrated: (contracts) => this.#demonstrated.resolve(contracts),
      onRestart: (reason) => this.#recordCrash("node", reason),
      onWork: () => this.#activity.works("node"),
      onReplaced: () => this.#indexing?.thread?.reconnect(),
    });
    this.#node = node;
    this.#activity.started("node");
    this.#running.defer(() => node.stop());
    const isOpen = node.start();
    // Avoids an unhandled rejection before anyone awaits it.
    isOpen.catch(() => {});
    return isOpen;
  }

  #openGateway(chainId: number, store: StoreReader, blobs: BlobStore | undefined): Gateway {
    const {
      rpc,
      dev,
      "cell-proofs": cellProofs,
      "allow-methods": allowed = [],
      "hedge-after": hedgeDelay,
    } = this.#settings;
    const limits = { maxBytes: MAX_PASSED, sockets: PASSING_SOCKETS, hedgeDelay, quorum: this.#settings.quorum };
    const pool = openPool(rpc!, { chainId, authoritative: dev, checksResults: !dev, ...limits });
    this.#running.adopt(pool, (opened) => opened.close());
    this.#pools.push(pool);
    return new Gateway({
      chainId,
      store,
      blobs,
      upstreams: pool,
      isDevelopment: dev,
      allowed,
      unboundedLogs: this.#settings["unbounded-logs"],
      acceptsCellProofs: cellProofs || !BOUNDED_CHAINS.has(chainId),
      onError: (err) => this.#shared.logger.error({ network: this.#name, err }, "the gateway met a defect"),
    });
  }

  #openSource(chainId: number): Source {
    const { rpc, dev, quorum } = this.#settings;
    const options = { chainId, maxBytes: MAX_READ_THROUGH, retry: REQUEST_RETRY };
    if (rpc !== undefined) {
      const pool = openPool(rpc, { authoritative: dev, quorum, ...options });
      this.#pools.push(pool);
      return pool;
    }
    return new Upstream({ port: this.#node!.client, authoritative: true, ...options });
  }

  /** An unreachable node is fatal only if there is no index to serve. */
  async #connect(urls: readonly string[]): Promise<number> {
    const { "chain-id": chainId } = this.#settings;
    const storeUrl = storeUrlOf(this.#settings);
    const source = openPool(urls, { ...(chainId !== undefined && { chainId }), ...STARTUP_TIMEOUTS });
    this.#running.adopt(source, (opened) => opened.close());
    try {
      return await source.connect();
    } catch (error) {
      const failure = asChainError(error);
      if (failure.code === "wrong_chain" || !(await hasStore(storeUrl))) throw failure;
      const store = await openStoreReadOnly(storeUrl);
      const indexed = await store.latest.chainId();
      await store.close();
      this.#progress.line(`the node does not answer yet (${failure.message}); serving what is indexed`);
      return chainId ?? indexed;
    } finally {
      await source.close();
    }
  }
}

/** Refuses to start a new chain over an existing index. */
function expectChain(data: string, indexed: number): void {
  if (hasChain(data)) return;
  throw new ChainError(
    "store_corrupt",
    `the chain in ${data} is lost: node.sqlite is missing, and it is indexed up to block ${indexed}; put a copy back, or begin again with --reset`,
  );
}

/** Responses are parsed on the serving thread, so larger blocks wait for the indexer. */
const MAX_READ_THROUGH = 32 << 20;

/** Largest forwarded response: a node's own limit for a batch. */
export const MAX_PASSED = 32 << 20;

/** Concurrent calls per node. */
const PASSING_SOCKETS = 32;

/** The index may have the answer, so an unreachable node is given up early. */
const REQUEST_RETRY = { unreachedAttempts: 2 };

/** Startup waits for this, so the timeout is short. */
const STARTUP_TIMEOUTS = { timeoutMs: 10_000, retry: { attempts: 4, deadlineMs: 10_000 } };

/** Connections beyond the backlog are retried by the kernel only after seconds. */
const MAX_BACKLOG = 4096;

async function listen(app: ReturnType<typeof createApp>, { host, port }: Settings): Promise<string> {
  try {
    return await app.listen({ host, port, backlog: MAX_BACKLOG });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const reason = code === "EADDRINUSE" ? "the port is in use; choose another with --port" : message;
    throw new ChainError("invalid_argument", `cannot serve on ${host}:${port}: ${reason}`, { cause: error });
  }
}
