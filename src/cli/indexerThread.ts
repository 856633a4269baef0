import { setTimeout as delay } from "node:timers/promises";
import type { MessagePort } from "node:worker_threads";
import { Worker } from "node:worker_threads";
import { ChainError } from "../chain/error.ts";
import type { IndexerState } from "../indexer/follow.ts";
import type { IndexerEvent, Progress } from "../indexer/indexer.ts";
import { messageOf } from "../std/values.ts";
import type { IndexerWorkerData, WorkerCommand, WorkerMessage, WorkerSettings } from "./indexerWorker.ts";

export interface ThreadEvents {
  readonly onProgress: (progress: Progress) => void;
  readonly onState: (state: IndexerState) => void;
  readonly onUnobserved: (reason: string) => void;
  readonly onUntraced: (reason: string) => void;
  readonly onUnranked: (reason: string) => void;
  readonly onBackfillDied: (reason: string) => void;
  readonly onDamage: (problem: string) => void;
  readonly onEvent: (event: IndexerEvent) => void;
  readonly onBlobsNotArchived: (reason: string) => void;
  readonly onUnannounced: (reason: string) => void;
  /** A node gave false data (with the reason), or is trusted again. */
  readonly onTrust: (at: number, reason: string | undefined) => void;
  readonly onRestart: (reason: string) => void;
  /** The thread committed something, or found nothing to do. */
  readonly onWork: () => void;
}

/** Factories for ports to other threads, called on every thread start. */
interface PortFactories {
  /** Port to an embedded node. */
  readonly node?: (() => MessagePort) | undefined;
  readonly kzg?: (() => MessagePort) | undefined;
}

/** Milliseconds between restarts; doubles until the thread works again. */
export const RESTART_DELAY = { first: 1000, longest: 30_000 };

/**
 * Runs the indexer of a network in its own thread and restarts it when it dies. The store is consistent after every
 * commit, and serving continues.
 */
export class IndexerThread {
  readonly #settings: WorkerSettings;
  readonly #events: ThreadEvents;
  readonly #ways: PortFactories;
  #worker: Worker | undefined;
  #exited: Promise<void> = Promise.resolve();
  #isStopping = false;
  #crashes = 0;

  constructor(settings: WorkerSettings, events: ThreadEvents, ways: PortFactories = {}) {
    this.#settings = settings;
    this.#events = events;
    this.#ways = ways;
  }

  start(): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const kzg = this.#ways.kzg?.();
    const workerData: IndexerWorkerData = { ...this.#settings, ...(kzg && { kzg }) };
    const transferList = kzg === undefined ? [] : [kzg];
    const worker = new Worker(new URL(WORKER, import.meta.url), { workerData, transferList, ...LIMITS });
    this.#worker = worker;
    this.reconnect();
    let isReady = false;
    let reason = "it ended";
    worker.on("message", (message: WorkerMessage) => {
      if (message.kind === "ready") {
        isReady = true;
        resolve();
      } else if (message.kind === "failed") {
        reason = message.message;
        reject(new ChainError(message.code, message.message));
      } else {
        this.#pass(message);
      }
    });
    worker.on("error", (error) => {
      reason = messageOf(error);
      reject(new ChainError("internal", `the indexer could not start: ${reason}`, { cause: error }));
    });
    this.#exited = new Promise((exited) => {
      worker.once("exit", () => {
        exited();
        if (isReady && !this.#isStopping) void this.#restart(reason);
      });
    });
    return promise;
  }

  reconnect(): void {
    const port = this.#ways.node?.();
    if (port !== undefined) this.#worker?.postMessage({ port } satisfies WorkerCommand, [port]);
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#worker?.postMessage("stop" satisfies WorkerCommand);
    await this.#exited;
  }

  /** At once: nothing that it still sends can be committed. */
  async abandon(): Promise<void> {
    this.#isStopping = true;
    await this.#worker?.terminate();
    await this.#exited;
  }

  #pass(message: WorkerMessage): void {
    if (message.kind === "progress") this.#events.onProgress(message.progress);
    if (message.kind === "state") this.#events.onState(message.state);
    if (message.kind === "event") this.#events.onEvent(message.event);
    if (message.kind === "works") {
      this.#crashes = 0;
      this.#events.onWork();
    }
    if (message.kind === "unobserved") this.#events.onUnobserved(message.reason);
    if (message.kind === "untraced") this.#events.onUntraced(message.reason);
    if (message.kind === "unranked") this.#events.onUnranked(message.reason);
    if (message.kind === "backfillDied") this.#events.onBackfillDied(message.reason);
    if (message.kind === "damaged") this.#events.onDamage(message.problem);
    if (message.kind === "trust") this.#events.onTrust(message.at, message.reason);
    if (message.kind === "blobsNotArchived") this.#events.onBlobsNotArchived(message.reason);
    if (message.kind === "unannounced") this.#events.onUnannounced(message.reason);
  }

  async #restart(reason: string): Promise<void> {
    this.#events.onRestart(reason);
    await delay(Math.min(RESTART_DELAY.first * 2 ** this.#crashes++, RESTART_DELAY.longest));
    if (this.#isStopping) return;
    await this.start().catch((error: Error) => this.#restart(error.message));
  }
}

const WORKER = import.meta.url.endsWith(".ts") ? "./indexerWorker.ts" : "./indexerWorker.js";

/** Fits a few blocks; a larger young generation only accumulates garbage. */
const LIMITS = { resourceLimits: { maxYoungGenerationSizeMb: 48 } };
