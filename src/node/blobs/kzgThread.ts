import { MessageChannel, type MessagePort, Worker } from "node:worker_threads";
import type { Sidecar } from "../../chain/block/sidecar.ts";
import { ChainError } from "../../chain/error.ts";
import { KzgClient, type KzgNotice } from "./kzgClient.ts";
import type { KzgWorkerData } from "./kzgWorker.ts";
import type { KzgVerifier } from "./verifySidecar.ts";

/**
 * Owns the KZG thread of the process. Started by the first task, ended when idle, restarted after a crash; does not keep
 * the process alive.
 */
export class KzgThread implements KzgVerifier {
  readonly #onExit: (reason: string) => void;
  readonly #idleTimeout: number;
  readonly #links = new Set<MessagePort>();
  #worker: Worker | undefined;
  #own: KzgClient | undefined;
  #isClosed = false;

  constructor(onExit: (reason: string) => void = () => {}, idleTimeout = IDLE_TIMEOUT) {
    this.#onExit = onExit;
    this.#idleTimeout = idleTimeout;
  }

  verify(sidecar: Sidecar): Promise<boolean> {
    try {
      this.#own ??= new KzgClient(this.connect());
    } catch (error) {
      return Promise.reject(error);
    }
    return this.#own.verify(sidecar);
  }

  /** A link for a `KzgClient` in any thread. */
  connect(): MessagePort {
    if (this.#isClosed) throw new ChainError("internal", "the KZG thread is closed");
    const { port1: link, port2: far } = new MessageChannel();
    link.on("message", () => this.#introduce(link));
    link.once("close", () => this.#links.delete(link));
    link.unref();
    this.#links.add(link);
    return far;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const link of this.#links) link.close();
    await this.#worker?.terminate();
  }

  #introduce(link: MessagePort): void {
    if (this.#isClosed) return;
    this.#worker ??= this.#start();
    const { port1, port2 } = new MessageChannel();
    this.#worker.postMessage(port1, [port1]);
    link.postMessage({ port: port2 } satisfies KzgNotice, [port2]);
  }

  #start(): Worker {
    const workerData: KzgWorkerData = { idleTimeout: this.#idleTimeout };
    const worker = new Worker(new URL(WORKER, import.meta.url), { ...LIMITS, workerData });
    worker.on("message", () => this.#retire(worker));
    worker.unref();
    let reason = "it ended";
    worker.on("error", (error) => {
      reason = error instanceof Error ? error.message : String(error);
    });
    worker.once("exit", () => {
      const isRetired = this.#worker !== worker;
      if (!isRetired) this.#worker = undefined;
      if (this.#isClosed || isRetired) return;
      for (const link of this.#links) link.postMessage({ death: reason } satisfies KzgNotice);
      this.#onExit(reason);
    });
    return worker;
  }

  /** The next task starts another. */
  #retire(worker: Worker): void {
    if (this.#worker !== worker) return;
    this.#worker = undefined;
    worker.postMessage("retired");
    for (const link of this.#links) link.postMessage("idle" satisfies KzgNotice);
  }
}

const WORKER = import.meta.url.endsWith(".ts") ? "./kzgWorker.ts" : "./kzgWorker.js";

/** A thread takes about 40 MB, and half a second to start. */
const IDLE_TIMEOUT = 60_000;

/** Everything allocated is short-lived, so a small young generation suffices. */
const LIMITS = { resourceLimits: { maxYoungGenerationSizeMb: 16 } };
