import { Worker } from "node:worker_threads";
import { ChainError } from "../../chain/error.ts";
import type { PrecompileAnswer, PrecompileCall } from "./precompileWorker.ts";

/** Milliseconds to wait before terminating: most abandoned work ends sooner than a thread starts. */
const GRACE = 200;

interface Waiting {
  readonly call: PrecompileCall;
  readonly resolve: (answer: PrecompileAnswer) => void;
  readonly reject: (error: Error) => void;
}

/**
 * Runs expensive precompiles one at a time in a thread, since only termination can stop them. Started on demand; does
 * not keep the process alive.
 */
export class PrecompileThread {
  #worker: Worker | undefined;
  #running: Waiting | undefined;
  readonly #queue: Waiting[] = [];
  #nextId = 0;

  /** Rejects with the signal's reason. */
  async run(call: Omit<PrecompileCall, "id">, signal: AbortSignal): Promise<PrecompileAnswer> {
    const { promise, resolve, reject } = Promise.withResolvers<PrecompileAnswer>();
    const waiting = { call: { ...call, id: this.#nextId++ }, resolve, reject };
    const abort = () => this.#abort(waiting, signal.reason as Error);
    signal.addEventListener("abort", abort, { once: true });
    this.#queue.push(waiting);
    this.#next();
    try {
      return await promise;
    } finally {
      signal.removeEventListener("abort", abort);
    }
  }

  #next(): void {
    if (this.#running !== undefined) return;
    this.#running = this.#queue.shift();
    if (this.#running === undefined) return;
    this.#worker ??= this.#start();
    this.#worker.ref();
    this.#worker.postMessage(this.#running.call);
  }

  #start(): Worker {
    const worker = new Worker(new URL(WORKER, import.meta.url));
    const fail = (reason: string) => {
      if (worker !== this.#worker) return;
      this.#worker = undefined;
      this.#settle((running) => running.reject(new ChainError("internal", `a precompiled contract failed: ${reason}`)));
    };
    worker.on("message", (answer: PrecompileAnswer) => this.#settle((running) => running.resolve(answer)));
    worker.on("error", (error) => fail(error instanceof Error ? error.message : String(error)));
    worker.once("exit", () => fail("its thread ended"));
    return worker;
  }

  #settle(settle: (running: Waiting) => void): void {
    const running = this.#running;
    this.#running = undefined;
    this.#worker?.unref();
    if (running !== undefined) settle(running);
    this.#next();
  }

  #abort(waiting: Waiting, reason: Error): void {
    const at = this.#queue.indexOf(waiting);
    if (at >= 0) this.#queue.splice(at, 1);
    waiting.reject(reason);
    if (this.#running !== waiting) return;
    setTimeout(() => this.#end(waiting), GRACE).unref();
  }

  /** Terminates the thread if it still runs abandoned work. */
  #end(abandoned: Waiting): void {
    if (this.#running !== abandoned) return;
    const ended = this.#worker;
    this.#worker = undefined;
    this.#settle(() => {});
    void ended?.terminate();
  }
}

const WORKER = import.meta.url.endsWith(".ts") ? "./precompileWorker.ts" : "./precompileWorker.js";
