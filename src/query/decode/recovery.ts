import { Worker } from "node:worker_threads";
import type { Lookup } from "../../chain/abi/parseAbi.ts";
import { parseTypes } from "../../chain/abi/parseSignature.ts";
import type { Candidates } from "../../chain/abi/resolve.ts";
import type { Signature } from "../../chain/abi/signature.ts";
import type { Bytes } from "../../chain/encoding/bytes.ts";
import type { Hex } from "../../chain/encoding/hex.ts";
import { toHex } from "../../chain/encoding/hex.ts";
import { ChainError } from "../../chain/error.ts";
import { keccak256 } from "../../chain/hashing/keccak.ts";
import { dropOldest } from "../../std/maps.ts";
import type { RecoveredFunction } from "./recoverFunctions.ts";
import type { RecoveryMessage } from "./recoveryWorker.ts";

/** EIP-170. */
export const MAX_CODE_LENGTH = 24_576;

/** The analysis never frees memory; its thread is replaced above this. */
const MAX_MEMORY = 128 << 20;

interface RecoveryOptions {
  readonly deadline?: number;
  readonly remembered?: number;
  /** Milliseconds until slow code is analysed again. */
  readonly pause?: number;
  /** Queue length; further contracts are refused. */
  readonly waiting?: number;
  readonly onError?: (reason: string) => void;
  readonly now?: () => number;
}

interface Recovered extends Candidates {
  readonly functions: readonly RecoveredFunction[];
}

interface Known {
  readonly candidates: Promise<Recovered | undefined>;
  readonly isStale: () => boolean;
}

interface Job {
  readonly code: Bytes;
  staleAt: number;
  readonly resolve: (functions: readonly RecoveredFunction[] | undefined) => void;
  readonly reject: (error: Error) => void;
}

/**
 * Recovers function signatures from bytecode in a separate thread, one contract at a time, cached by code hash. Code
 * that is too long or cannot be analysed has none.
 */
export class Recovery {
  readonly #options: Required<RecoveryOptions>;
  readonly #known = new Map<Hex, Known>();
  readonly #queue: Job[] = [];
  #running: Job | undefined;
  #timer: NodeJS.Timeout | undefined;
  #worker: Worker | undefined;
  #isClosed = false;

  constructor(options: RecoveryOptions = {}) {
    const { deadline = 1000, remembered = 1000, pause = 60_000, waiting = 100, onError = () => {} } = options;
    const now = options.now ?? (() => performance.now());
    this.#options = { deadline, remembered, pause, waiting, onError, now };
  }

  /** Undefined for a while if it takes too long. `codeHash` saves computing it. */
  recover(code: Bytes, codeHash: Bytes = keccak256(code)): Promise<Recovered | undefined> {
    if (code.length === 0 || code.length > MAX_CODE_LENGTH) return Promise.resolve(candidatesOf([]));
    const hash = toHex(codeHash);
    const remembered = this.#known.get(hash);
    const known = remembered === undefined || remembered.isStale() ? this.#ask(code) : remembered;
    this.#known.delete(hash);
    this.#known.set(hash, known);
    dropOldest(this.#known, this.#options.remembered);
    known.candidates.catch(() => {
      if (this.#known.get(hash) === known) this.#known.delete(hash);
    });
    return known.candidates;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    const jobs = [this.#running, ...this.#queue.splice(0)];
    this.#running = undefined;
    for (const job of jobs) job?.reject(new ChainError("internal", "the analysis of bytecode was closed"));
    await this.#worker?.terminate();
  }

  #ask(code: Bytes): Known {
    const { promise, resolve, reject } = Promise.withResolvers<readonly RecoveredFunction[] | undefined>();
    const job: Job = { code, resolve, reject, staleAt: Number.POSITIVE_INFINITY };
    return {
      candidates: this.#enqueue(job)
        .then(() => promise)
        .then((functions) => functions && candidatesOf(functions)),
      isStale: () => this.#options.now() >= job.staleAt,
    };
  }

  async #enqueue(job: Job): Promise<void> {
    const { waiting } = this.#options;
    if (this.#isClosed) throw new ChainError("internal", "the analysis of bytecode is closed");
    if (this.#queue.length >= waiting) {
      throw new ChainError("limit_exceeded", `${waiting} contracts wait for their analysis already`);
    }
    this.#queue.push(job);
    this.#next();
  }

  #next(): void {
    if (this.#running !== undefined || this.#isClosed) return;
    this.#running = this.#queue.shift();
    if (this.#running === undefined) return;
    this.#worker ??= this.#start();
    this.#worker.ref();
    // A view would transfer its whole buffer.
    const copy = Uint8Array.from(this.#running.code);
    this.#worker.postMessage(copy, [copy.buffer]);
  }

  #settle(answer: (job: Job) => void): void {
    clearTimeout(this.#timer);
    this.#worker?.unref();
    if (this.#running !== undefined) answer(this.#running);
    this.#running = undefined;
    this.#next();
  }

  #start(): Worker {
    const worker = new Worker(new URL(WORKER, import.meta.url));
    worker.on("message", (message: RecoveryMessage) => {
      if (this.#worker !== worker) return;
      if (message.kind === "begun") {
        this.#timer = setTimeout(() => this.#giveUp(worker), this.#options.deadline);
        return;
      }
      if (message.memory > MAX_MEMORY) this.#drop(worker);
      this.#settle(({ resolve }) => resolve(message.functions));
    });
    worker.on("error", (error) => this.#options.onError(error instanceof Error ? error.message : String(error)));
    worker.once("exit", () => this.#fail(worker));
    return worker;
  }

  /** Retried later: the machine may have been busy. */
  #giveUp(worker: Worker): void {
    if (this.#worker !== worker) return;
    this.#drop(worker);
    this.#settle((job) => {
      job.staleAt = this.#options.now() + this.#options.pause;
      job.resolve(undefined);
    });
  }

  #fail(worker: Worker): void {
    if (this.#worker !== worker) return;
    this.#drop(worker);
    this.#settle(({ reject }) =>
      reject(new ChainError("internal", "the analysis of bytecode ended without an answer")),
    );
  }

  /** The next contract gets a new thread. */
  #drop(worker: Worker): void {
    this.#worker = undefined;
    void worker.terminate();
  }
}

const WORKER = import.meta.url.endsWith(".ts") ? "./recoveryWorker.ts" : "./recoveryWorker.js";

const NONE: Lookup = { get: () => undefined };

/** Named by selector, without parameter names. */
function candidatesOf(functions: readonly RecoveredFunction[]): Recovered {
  const types = new Map(functions.map(([selector, list]) => [`0x${selector}`, list]));
  const get = (selector: Hex) => {
    const list = types.get(selector);
    const signature = list === undefined ? undefined : signatureOf(selector, list);
    return signature && [signature];
  };
  return { origin: "bytecode", functions, signatures: { functions: { get }, events: NONE, errors: NONE } };
}

export function signatureOf(selector: Hex, types: string): Signature | undefined {
  try {
    return { name: selector, inputs: parseTypes(types).map((type) => ({ name: "", type, indexed: false })) };
  } catch (error) {
    // The analysis may yield arrays too deep to decode.
    if (error instanceof ChainError) return undefined;
    throw error;
  }
}
