import type { MessagePort } from "node:worker_threads";
import { ChainError } from "../chain/error.ts";
import { errorText } from "./envelope.ts";
import { RPC, RpcError } from "./rpcError.ts";

/** A JSON-RPC body as it came, asked of a node in another thread over a message port. */
export interface PortRequest {
  readonly id: number;
  readonly body: string;
  /** Whether the asker may use the methods that are not for the public: development, `debug_` and `txpool_`. */
  readonly isTrusted: boolean;
  readonly isHardhat: boolean;
}

/** Whoever asked has left. */
export interface PortCancellation {
  readonly cancelled: number;
}

/** The answer to it; no body where all of it were notifications. */
export interface PortReply {
  readonly id: number;
  readonly body: string | undefined;
}

/** What the node says unasked: its head is another block, or the state after it was changed. */
const NEWS = "head";

/** Calls the listener whenever the head is another block or the state after it was changed. */
export type WatchHead = (listener: () => void) => void;

/** Answers a JSON-RPC body with the body of its answer, or with nothing where none is due. */
export type HandleBody = (
  body: string,
  isTrusted: boolean,
  signal?: AbortSignal,
  isHardhat?: boolean,
) => Promise<string | undefined>;

/** The node's side: answers what comes over a port until it closes, and tells of new heads. */
export function servePort(port: MessagePort, handle: HandleBody, watch?: WatchHead): void {
  const running = new Map<number, AbortController>();
  port.on("message", (message: PortRequest | PortCancellation) => {
    if ("cancelled" in message) {
      running.get(message.cancelled)?.abort();
      return;
    }
    const { id, body, isTrusted, isHardhat } = message;
    const leaving = new AbortController();
    running.set(id, leaving);
    const reply = (answer: string | undefined) => {
      running.delete(id);
      port.postMessage({ id, body: answer } satisfies PortReply);
    };
    const fail = () => reply(errorText(new RpcError(RPC.internal, "internal error")));
    handle(body, isTrusted, leaving.signal, isHardhat).then(reply, fail);
  });
  let isDue = false;
  watch?.(() => {
    // Many blocks at once are news once.
    if (isDue) return;
    isDue = true;
    setImmediate(() => {
      isDue = false;
      port.postMessage(NEWS);
    });
  });
}

type Waiting = PromiseWithResolvers<string | undefined>;

/** The asker's side. The node's thread may die and come back: what it did not answer fails, and it gets a new port. */
export class PortClient {
  readonly #waiting = new Map<number, Waiting>();
  readonly #watchers: (() => void)[] = [];
  #port: MessagePort | undefined;
  #isClosed = false;
  #lastId = 0;

  /** Asks over this port from now on; without one, nothing can be asked until there is. */
  use(port: MessagePort): void {
    this.#drop();
    if (this.#isClosed) {
      port.close();
      return;
    }
    this.#port = port;
    port.on("message", (message: PortReply | typeof NEWS) => {
      if (message === NEWS) this.#tellNews();
      else this.#settle(message);
    });
    port.once("close", () => {
      if (this.#port === port) this.#drop();
    });
    this.#tellNews();
  }

  /** Tells whenever the node's head or the state after it is another, or may be, since the node's thread is another. */
  watch(listener: () => void): void {
    this.#watchers.push(listener);
  }

  /** Throws `upstream_unavailable` where the node's thread is not there or ends before it answers. */
  ask(body: string, isTrusted: boolean, signal?: AbortSignal, isHardhat = false): Promise<string | undefined> {
    if (this.#port === undefined) return Promise.reject(this.#gone());
    const waiting: Waiting = Promise.withResolvers();
    const id = ++this.#lastId;
    this.#waiting.set(id, waiting);
    const port = this.#port;
    port.postMessage({ id, body, isTrusted, isHardhat } satisfies PortRequest);
    signal?.addEventListener("abort", () => {
      if (this.#waiting.has(id)) port.postMessage({ cancelled: id } satisfies PortCancellation);
    });
    return waiting.promise;
  }

  close(): void {
    this.#isClosed = true;
    this.#drop();
  }

  #settle({ id, body }: PortReply): void {
    this.#waiting.get(id)?.resolve(body);
    this.#waiting.delete(id);
  }

  #tellNews(): void {
    for (const watch of this.#watchers) watch();
  }

  #drop(): void {
    const port = this.#port;
    this.#port = undefined;
    port?.close();
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const { reject } of waiting) reject(this.#gone());
  }

  #gone(): ChainError {
    const what = this.#isClosed ? "the connection to the node was closed" : "the node is restarting";
    return new ChainError("upstream_unavailable", what);
  }
}
