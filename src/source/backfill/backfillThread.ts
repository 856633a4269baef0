import { Worker } from "node:worker_threads";
import type { Block } from "../../chain/block/block.ts";
import { ChainError } from "../../chain/error.ts";
import type { Source } from "../../chain/source.ts";
import { messageOf } from "../../std/values.ts";
import type { BackfillMessage, BackfillRequest, BackfillWorkerData } from "./backfillWorker.ts";
import { unpack } from "./packedBlock.ts";

export type BackfillOptions = BackfillWorkerData & {
  /** A node gave false data (with the reason), or is trusted again. */
  readonly onTrust?: (at: number, reason: string | undefined) => void;
  /** The thread died, and no other starts. */
  readonly onDeath?: (reason: string) => void;
  readonly idleTimeout?: number;
};

const WORKER = import.meta.url.endsWith(".ts") ? "./backfillWorker.ts" : "./backfillWorker.js";

/** Milliseconds. A thread takes about 30 MB. */
const IDLE_TIMEOUT = 10_000;

/** Next to all that it makes are buffers. */
const LIMITS = { resourceLimits: { maxYoungGenerationSizeMb: 4 } };

type Waiting = PromiseWithResolvers<Block[]> & Pick<BackfillRequest, "from" | "count">;

/**
 * Fetches and decodes blocks in a thread of its own, so that a thread that is busy with those before need not. It starts with
 * the first request and ends when idle. Should it die, the source is asked instead, now and later.
 */
export class BackfillThread implements Pick<Source, "blocks"> {
  readonly #options: BackfillOptions;
  readonly #source: Pick<Source, "blocks">;
  readonly #waiting = new Map<number, Waiting>();
  #worker: Worker | undefined;
  #idle: NodeJS.Timeout | undefined;
  #lastId = 0;
  #isOver = false;

  constructor(options: BackfillOptions, source: Pick<Source, "blocks">) {
    this.#options = options;
    this.#source = source;
  }

  blocks(from: number, count: number): Promise<Block[]> {
    if (this.#isOver) return this.#source.blocks(from, count);
    clearTimeout(this.#idle);
    this.#worker ??= this.#start();
    const id = ++this.#lastId;
    const waiting = { ...Promise.withResolvers<Block[]>(), from, count };
    this.#waiting.set(id, waiting);
    this.#worker.postMessage({ id, from, count } satisfies BackfillRequest);
    return waiting.promise;
  }

  /** Leaves what is under way to the source, which fails if it is closed. */
  async close(): Promise<void> {
    this.#giveUp();
    await this.#end();
  }

  #start(): Worker {
    const { urls, chainId, authoritative, quorum } = this.#options;
    const workerData: BackfillWorkerData = {
      urls,
      quorum,
      ...(chainId !== undefined && { chainId }),
      ...(authoritative !== undefined && { authoritative }),
    };
    const worker = new Worker(new URL(WORKER, import.meta.url), { workerData, ...LIMITS });
    worker.unref();
    worker.on("message", (message: BackfillMessage) => this.#take(message));
    worker.once("error", (error) => this.#die(messageOf(error)));
    worker.once("exit", () => {
      if (this.#worker === worker) this.#die("it ended");
    });
    return worker;
  }

  #take(message: BackfillMessage): void {
    if ("at" in message) {
      this.#options.onTrust?.(message.at, message.distrust);
      return;
    }
    const waiting = this.#waiting.get(message.id);
    this.#waiting.delete(message.id);
    if (this.#waiting.size === 0) {
      this.#idle = setTimeout(() => void this.#end(), this.#options.idleTimeout ?? IDLE_TIMEOUT).unref();
    }
    if ("blocks" in message) waiting?.resolve(message.blocks.map(unpack));
    else waiting?.reject(new ChainError(message.failure.code, message.failure.message));
  }

  #die(reason: string): void {
    if (this.#isOver) return;
    this.#giveUp();
    this.#options.onDeath?.(reason);
  }

  #giveUp(): void {
    this.#isOver = true;
    for (const { resolve, from, count } of this.#waiting.values()) resolve(this.#source.blocks(from, count));
    this.#waiting.clear();
  }

  async #end(): Promise<void> {
    clearTimeout(this.#idle);
    const worker = this.#worker;
    this.#worker = undefined;
    await worker?.terminate();
  }
}
