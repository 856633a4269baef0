import { setTimeout as delay } from "node:timers/promises";
import type { MessagePort } from "node:worker_threads";
import { MessageChannel, Worker } from "node:worker_threads";
import type { FundedAccount } from "../api/settings.ts";
import { ChainError } from "../chain/error.ts";
import type { DemonstratedContracts } from "../demo/demonstratedContracts.ts";
import type { RpcBackend } from "../jsonrpc/backend.ts";
import { PortClient } from "../jsonrpc/port.ts";
import type { KzgThread } from "../node/blobs/kzgThread.ts";
import { messageOf } from "../std/values.ts";
import { RESTART_DELAY } from "./indexerThread.ts";
import type { NodeCommand, NodeMessage, NodeSettings, NodeWorkerData } from "./nodeWorker.ts";

interface NodeEvents {
  /** An internal error that is hidden from callers. */
  readonly onError: (reason: string) => void;
  /** An event for the console. */
  readonly onNotice: (notice: string) => void;
  readonly onDemonstrated?: ((contracts: DemonstratedContracts) => void) | undefined;
  readonly onRestart: (reason: string) => void;
  readonly onWork: () => void;
  /** A new thread replaced the old one; its ports are invalid. */
  readonly onReplaced: () => void;
}

const ACTIVITY_INTERVAL = 5000;

/**
 * Runs the node of a network in its own thread and restarts it when it dies. Pending requests fail; the chain on disk
 * is consistent.
 */
export class NodeThread implements RpcBackend {
  readonly client = new PortClient();
  readonly #settings: NodeSettings;
  readonly #kzg: KzgThread;
  readonly #events: NodeEvents;
  #worker: Worker | undefined;
  #exited: Promise<void> = Promise.resolve();
  #isStopping = false;
  #crashes = 0;
  #activityAt = Number.NEGATIVE_INFINITY;

  constructor(settings: NodeSettings, kzg: KzgThread, events: NodeEvents) {
    this.#settings = settings;
    this.#kzg = kzg;
    this.#events = events;
  }

  /** Resolves once the chain is open. Earlier requests wait for it. */
  start(): Promise<readonly FundedAccount[]> {
    const { promise, resolve, reject } = Promise.withResolvers<readonly FundedAccount[]>();
    const data: NodeWorkerData = { settings: this.#settings, kzg: this.#kzg.connect() };
    const worker = new Worker(new URL(WORKER, import.meta.url), {
      workerData: data,
      transferList: [data.kzg],
      ...LIMITS,
    });
    this.#worker = worker;
    this.client.use(connectTo(worker));
    let isReady = false;
    let reason = "it ended";
    worker.on("message", (message: NodeMessage) => {
      if (message.kind === "ready") {
        isReady = true;
        this.#crashes = 0;
        this.#events.onWork();
        resolve(message.accounts);
      } else if (message.kind === "error") {
        this.#events.onError(message.reason);
      } else if (message.kind === "notice") {
        this.#events.onNotice(message.notice);
      } else if (message.kind === "demonstrated") {
        this.#events.onDemonstrated?.(message.contracts);
      } else {
        reason = message.message;
        reject(new ChainError(message.code, message.message));
      }
    });
    worker.on("error", (error) => {
      reason = messageOf(error);
    });
    this.#exited = new Promise((exited) => {
      worker.once("exit", () => {
        exited();
        reject(new ChainError("internal", `the node could not start: ${reason}`));
        if (isReady && !this.#isStopping) void this.#restart(reason);
      });
    });
    return promise;
  }

  connect(): MessagePort {
    if (this.#worker === undefined) throw new ChainError("internal", "the node was not started");
    return connectTo(this.#worker);
  }

  handle(body: string, isTrusted: boolean, signal?: AbortSignal, isHardhat?: boolean): Promise<string | undefined> {
    return this.client.ask(body, isTrusted, signal, isHardhat);
  }

  noteActivity(): void {
    const now = performance.now();
    if (now - this.#activityAt < ACTIVITY_INTERVAL) return;
    this.#activityAt = now;
    this.#worker?.postMessage("activity" satisfies NodeCommand);
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    this.client.close();
    this.#worker?.postMessage("stop" satisfies NodeCommand);
    await this.#exited;
  }

  async #restart(reason: string): Promise<void> {
    this.#events.onRestart(reason);
    await delay(Math.min(RESTART_DELAY.first * 2 ** this.#crashes++, RESTART_DELAY.longest));
    if (this.#isStopping) return;
    const isOpen = this.start();
    this.#events.onReplaced();
    await isOpen.catch((error: Error) => this.#restart(error.message));
  }
}

/** Fits a few blocks; a larger young generation only accumulates garbage. */
const LIMITS = { resourceLimits: { maxYoungGenerationSizeMb: 24 } };

const WORKER = import.meta.url.endsWith(".ts") ? "./nodeWorker.ts" : "./nodeWorker.js";

function connectTo(worker: Worker): MessagePort {
  const { port1, port2 } = new MessageChannel();
  worker.postMessage({ port: port1 } satisfies NodeCommand, [port1]);
  return port2;
}
