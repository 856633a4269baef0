import { MessageChannel, type MessagePort, Worker } from "node:worker_threads";
import type { Sidecar } from "../../chain/block/sidecar.ts";
import { ChainError } from "../../chain/error.ts";
import { KzgClient, type KzgNotice } from "./kzgClient.ts";
import type { KzgVerifier } from "./verifySidecar.ts";

/**
 * Owns the KZG thread of the process. Started by the first task, restarted after a crash; does not keep the process
 * alive.
 */
export class KzgThread implements KzgVerifier {
  readonly #onExit: (reason: string) => void;
  readonly #links = new Set<MessagePort>();
  #worker: Worker | undefined;
  #own: KzgClient | undefined;
  #isClosed = false;

  constructor(onExit: (reason: string) => void = () => {}) {
    this.#onExit = onExit;
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
    const worker = new Worker(new URL(WORKER, import.meta.url), LIMITS);
    worker.unref();
    let reason = "it ended";
    worker.on("error", (error) => {
      reason = error instanceof Error ? error.message : String(error);
    });
    worker.once("exit", () => {
      this.#worker = undefined;
      if (this.#isClosed) return;
      for (const link of this.#links) link.postMessage({ death: reason } satisfies KzgNotice);
      this.#onExit(reason);
    });
    return worker;
  }
}

const WORKER = import.meta.url.endsWith(".ts") ? "./kzgWorker.ts" : "./kzgWorker.js";

/** Everything allocated is short-lived, so a small young generation suffices. */
const LIMITS = { resourceLimits: { maxYoungGenerationSizeMb: 16 } };
