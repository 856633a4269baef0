import { once } from "node:events";
import { Worker } from "node:worker_threads";

/** Pages of the write-ahead log that are not in the file yet, from which on they are copied. */
export const CHECKPOINTED_PAGES = 4000;

/** A longer log is copied whole before the next transaction, which then begins it again. */
export const MAX_LOG_PAGES = 12_000;

const WORKER = import.meta.url.endsWith(".ts") ? "./checkpointWorker.ts" : "./checkpointWorker.js";

/** Milliseconds without a checkpoint after which the thread ends: at the head of a chain it would wait for hours. */
const IDLE_TIMEOUT = 30_000;

/** The thread needs next to no heap. */
const LIMITS = { resourceLimits: { maxYoungGenerationSizeMb: 1, maxOldGenerationSizeMb: 16 } };

/** Pages in the write-ahead log, and how many of them a checkpoint has copied. */
export interface LogState {
  readonly pages: number;
  readonly copied: number;
}

/**
 * Checkpoints a database in a thread of its own, because one takes as long as the disk needs. Readers and the writer go on
 * meanwhile. The thread starts with a checkpoint and ends when none follows.
 */
export class Checkpointer {
  readonly #path: string;
  readonly #idleTimeout: number;
  #worker: Worker | undefined;
  #idle: NodeJS.Timeout | undefined;
  #underWay: Promise<void> | undefined;
  #log: LogState = { pages: 0, copied: 0 };
  /** Whether there were commits since the last checkpoint began. */
  #isBehind = false;
  #hasFailed = false;

  constructor(path: string, idleTimeout = IDLE_TIMEOUT) {
    this.#path = path;
    this.#idleTimeout = idleTimeout;
  }

  /** After a commit. */
  note(log: LogState): void {
    this.#log = log;
    this.#isBehind = true;
    if (log.pages - log.copied >= CHECKPOINTED_PAGES) void this.#checkpoint();
  }

  /** Before a transaction. A snapshot that keeps the log from being copied is not waited for. */
  async untilRoom(): Promise<void> {
    if (this.#log.pages <= MAX_LOG_PAGES) return;
    await this.#underWay;
    if (this.#isBehind) await this.#checkpoint();
  }

  async close(): Promise<void> {
    await this.#underWay;
    await this.#end();
  }

  /** One at a time. Once the thread has failed, SQLite's own checkpoints have to do. */
  #checkpoint(): Promise<void> {
    if (this.#hasFailed) return Promise.resolve();
    this.#underWay ??= this.#run().finally(() => {
      this.#underWay = undefined;
    });
    return this.#underWay;
  }

  async #run(): Promise<void> {
    clearTimeout(this.#idle);
    try {
      this.#worker ??= this.#start();
      this.#isBehind = false;
      const done = once(this.#worker, "message");
      this.#worker.postMessage("checkpoint");
      await done;
      this.#idle = setTimeout(() => void this.#end(), this.#idleTimeout).unref();
    } catch {
      this.#hasFailed = true;
    }
  }

  async #end(): Promise<void> {
    clearTimeout(this.#idle);
    const worker = this.#worker;
    this.#worker = undefined;
    await worker?.terminate();
  }

  #start(): Worker {
    const worker = new Worker(new URL(WORKER, import.meta.url), { workerData: this.#path, ...LIMITS });
    worker.unref();
    return worker;
  }
}
