import type { MessagePort } from "node:worker_threads";
import { ChainError } from "../chain/error.ts";
import { errorText } from "./envelope.ts";
import { RPC, RpcError } from "./rpcError.ts";

interface PortRequest {
  readonly id: number;
  readonly body: string;
  /** True if the caller may use methods that are not public: development, `debug_` and `txpool_`. */
  readonly isTrusted: boolean;
  readonly isHardhat: boolean;
}

interface PortCancellation {
  readonly cancelled: number;
}

/** Without a body if the request had only notifications. */
interface PortReply {
  readonly id: number;
  readonly body: string | undefined;
}

const HEAD_MESSAGE = "head";

/** Calls the listener whenever the head or the state after it changes. */
type WatchHead = (listener: () => void) => void;

/** Returns undefined if no response is due. */
export type HandleBody = (
  body: string,
  isTrusted: boolean,
  signal?: AbortSignal,
  isHardhat?: boolean,
) => Promise<string | undefined>;

/** Node side: serves a port until it closes and announces new heads. */
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
    if (isDue) return;
    isDue = true;
    setImmediate(() => {
      isDue = false;
      port.postMessage(HEAD_MESSAGE);
    });
  });
}

type Waiting = PromiseWithResolvers<string | undefined>;

/** Client side. If the node's thread dies, pending requests fail and the client gets a new port. */
export class PortClient {
  readonly #waiting = new Map<number, Waiting>();
  readonly #watchers: (() => void)[] = [];
  #port: MessagePort | undefined;
  #isClosed = false;
  #lastId = 0;

  use(port: MessagePort): void {
    this.#drop();
    if (this.#isClosed) {
      port.close();
      return;
    }
    this.#port = port;
    port.on("message", (message: PortReply | typeof HEAD_MESSAGE) => {
      if (message === HEAD_MESSAGE) this.#notifyHead();
      else this.#settle(message);
    });
    port.once("close", () => {
      if (this.#port === port) this.#drop();
    });
    this.#notifyHead();
  }

  /** Also fires after the node's thread was replaced, since its head may have changed. */
  watch(listener: () => void): void {
    this.#watchers.push(listener);
  }

  /** Throws `upstream_unavailable` if the node's thread is down or ends before it answers. */
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

  #notifyHead(): void {
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
