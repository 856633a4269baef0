import { Worker } from "node:worker_threads";
import type { Lookup } from "../../chain/abi/parseAbi.ts";
import { parseTypes } from "../../chain/abi/parseSignature.ts";
import type { Candidates } from "../../chain/abi/resolve.ts";
import type { Signature } from "../../chain/abi/signature.ts";
import type { Bytes } from "../../chain/bytes.ts";
import { ChainError } from "../../chain/error.ts";
import type { Hex } from "../../chain/hex.ts";
import { toHex } from "../../chain/hex.ts";
import { keccak256 } from "../../chain/keccak.ts";
import type { RecoveredFunction } from "./recoverFunctions.ts";
import type { RecoveryMessage } from "./recoveryWorker.ts";

/** The longest code a contract can have (EIP-170). */
export const LONGEST_CODE = 24_576;

/** The analysis never gives memory back: a thread that has taken more is replaced. */
const MOST_MEMORY = 128 << 20;

export interface RecoveryOptions {
  /** Milliseconds for one contract. */
  readonly deadline?: number;
  /** Contracts remembered. */
  readonly remembered?: number;
  /** Contracts that wait for their turn; further ones are refused. */
  readonly waiting?: number;
  /** Code that could not be analysed, or a thread that could not be started. */
  readonly onTrouble?: (reason: string) => void;
}

interface Job {
  readonly code: Bytes;
  readonly resolve: (functions: readonly RecoveredFunction[]) => void;
  readonly reject: (error: Error) => void;
}

/**
 * Recovers functions from bytecode in a thread of its own, one contract after the other, and remembers them by the
 * hash of the code. Code that is too long, takes too long or cannot be analysed has none.
 */
export class Recovery {
  readonly #options: Required<RecoveryOptions>;
  readonly #known = new Map<Hex, Promise<Candidates>>();
  readonly #queue: Job[] = [];
  #running: Job | undefined;
  #timer: NodeJS.Timeout | undefined;
  #worker: Worker | undefined;
  #isClosed = false;

  constructor({ deadline = 1000, remembered = 1000, waiting = 100, onTrouble = () => {} }: RecoveryOptions = {}) {
    this.#options = { deadline, remembered, waiting, onTrouble };
  }

  /** The functions of a contract; `codeHash` saves computing it where it is known. */
  recover(code: Bytes, codeHash: Bytes = keccak256(code)): Promise<Candidates> {
    if (code.length === 0 || code.length > LONGEST_CODE) return Promise.resolve(candidatesOf([]));
    const hash = toHex(codeHash);
    const known = this.#known.get(hash) ?? this.#ask(code);
    this.#known.delete(hash);
    this.#known.set(hash, known);
    if (this.#known.size > this.#options.remembered) this.#known.delete(this.#known.keys().next().value!);
    known.catch(() => this.#known.delete(hash));
    return known;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    const jobs = [this.#running, ...this.#queue.splice(0)];
    this.#running = undefined;
    for (const job of jobs) job?.reject(new ChainError("internal", "the analysis of bytecode was closed"));
    await this.#worker?.terminate();
  }

  async #ask(code: Bytes): Promise<Candidates> {
    const { waiting } = this.#options;
    if (this.#isClosed) throw new ChainError("internal", "the analysis of bytecode is closed");
    if (this.#queue.length >= waiting) {
      throw new ChainError("limit_exceeded", `${waiting} contracts wait for their analysis already`);
    }
    const { promise, resolve, reject } = Promise.withResolvers<readonly RecoveredFunction[]>();
    this.#queue.push({ code, resolve, reject });
    this.#next();
    return candidatesOf(await promise);
  }

  #next(): void {
    if (this.#running !== undefined || this.#isClosed) return;
    this.#running = this.#queue.shift();
    if (this.#running === undefined) return;
    this.#worker ??= this.#start();
    this.#worker.ref();
    // Of a view into something larger the whole would be sent.
    const copy = Uint8Array.from(this.#running.code);
    this.#worker.postMessage(copy, [copy.buffer]);
  }

  #settle(functions: readonly RecoveredFunction[]): void {
    clearTimeout(this.#timer);
    this.#worker?.unref();
    this.#running?.resolve(functions);
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
      if (message.memory > MOST_MEMORY) this.#drop(worker);
      this.#settle(message.functions);
    });
    worker.on("error", (error) => this.#options.onTrouble(error instanceof Error ? error.message : String(error)));
    worker.once("exit", () => this.#giveUp(worker));
    return worker;
  }

  #giveUp(worker: Worker): void {
    if (this.#worker !== worker) return;
    this.#drop(worker);
    this.#settle([]);
  }

  /** The next contract has another thread. */
  #drop(worker: Worker): void {
    this.#worker = undefined;
    void worker.terminate();
  }
}

const WORKER = import.meta.url.endsWith(".ts") ? "./recoveryWorker.ts" : "./recoveryWorker.js";

const NONE: Lookup = { get: () => undefined };

/** A recovered function is called by its selector, and its parameters have no names. */
function candidatesOf(functions: readonly RecoveredFunction[]): Candidates {
  const types = new Map(functions.map(([selector, list]) => [`0x${selector}`, list]));
  const get = (selector: Hex) => {
    const list = types.get(selector);
    const signature = list === undefined ? undefined : signatureOf(selector, list);
    return signature && [signature];
  };
  return { origin: "bytecode", signatures: { functions: { get }, events: NONE, errors: NONE } };
}

function signatureOf(selector: Hex, types: string): Signature | undefined {
  try {
    return { name: selector, inputs: parseTypes(types).map((type) => ({ name: "", type, indexed: false })) };
  } catch (error) {
    // The analysis may see deeper arrays than can be decoded.
    if (error instanceof ChainError) return undefined;
    throw error;
  }
}
