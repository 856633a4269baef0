import { once } from "node:events";
import { Worker } from "node:worker_threads";

export interface ReadsTaken {
  readonly p99Ms: number;
  readonly longestMs: number;
  /** Each read by itself, without the time that the thread waited for a core. */
  readonly withCoreP99Ms: number;
  readonly longestWithCoreMs: number;
  /** Microseconds of CPU of the thread so far. */
  readonly cpu: number;
}

/** A thread that reads a store beside its writer. */
export class ReadsBeside {
  readonly #worker: Worker;

  constructor(directory: string, seed: number) {
    this.#worker = new Worker(new URL("./readerThread.ts", import.meta.url), { workerData: { directory, seed } });
  }

  /** Latencies of the reads since the last call. */
  async take(): Promise<ReadsTaken> {
    const answer = once(this.#worker, "message");
    this.#worker.postMessage("take");
    const [taken] = (await answer) as [ReadsTaken];
    return taken;
  }

  async stop(): Promise<void> {
    const exit = once(this.#worker, "exit");
    this.#worker.postMessage("stop");
    await exit;
  }
}
