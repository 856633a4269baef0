import { isObject } from "../../std/values.ts";
import { parseEndpoint } from "../endpoint.ts";

interface SubscriptionOptions {
  /** ws or http scheme: many nodes serve both at one URL. */
  readonly url: string;
  /** The node has, or after a reconnect may have, a new block. */
  readonly onHead: () => void;
  /** Called once per lost subscription, and on initial failure. */
  readonly onError?: (reason: string) => void;
  readonly retry?: { readonly first: number; readonly longest: number };
}

/** Backoff in milliseconds. Nodes without WebSocket are retried rarely. */
const RETRY = { first: 1000, longest: 300_000 };

const TIMEOUT = 10_000;

/** Milliseconds between forwarded announcements. */
export const MIN_INTERVAL = 10;

/** Unannounced blocks after which the connection counts as dead. */
const MAX_UNANNOUNCED = 5;

/** A head notification has about 2,000 characters. */
const MAX_MESSAGE = 1 << 16;

const SUBSCRIBE = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_subscribe", params: ["newHeads"] });

/** Subscribes to new heads over WebSocket. An announcement only triggers a query; its content is not trusted. */
export class HeadSubscription {
  readonly #options: SubscriptionOptions;
  readonly #retry: { readonly first: number; readonly longest: number };
  #socket: WebSocket | undefined;
  #timer: NodeJS.Timeout | undefined;
  #pending: NodeJS.Timeout | undefined;
  #hasMore = false;
  #failures = 0;
  #unannounced = 0;
  #isSubscribed = false;
  #isClosed = false;

  constructor(options: SubscriptionOptions) {
    this.#options = options;
    this.#retry = options.retry ?? RETRY;
    this.#connect();
  }

  get isSubscribed(): boolean {
    return this.#isSubscribed;
  }

  /** Records a block found by any means; replaces a connection that missed several. */
  noteBlock(): void {
    if (this.#isSubscribed && ++this.#unannounced > MAX_UNANNOUNCED) this.#drop("new blocks are not announced");
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    clearTimeout(this.#pending);
    this.#socket?.close();
    this.#socket = undefined;
  }

  #connect(): void {
    const { href, headers } = webSocketAddress(this.#options.url);
    const socket = new WebSocket(href, { headers });
    this.#socket = socket;
    this.#timer = setTimeout(() => this.#drop("it does not answer in time"), TIMEOUT).unref();
    socket.addEventListener("open", () => socket.send(SUBSCRIBE));
    socket.addEventListener("message", ({ data }) => {
      if (socket === this.#socket && typeof data === "string" && data.length <= MAX_MESSAGE) this.#read(data);
    });
    const onEnd = () => {
      if (socket === this.#socket) this.#drop("it accepts no WebSocket there, or closed it");
    };
    socket.addEventListener("error", onEnd);
    socket.addEventListener("close", onEnd);
  }

  #read(text: string): void {
    const message = parse(text);
    if (message.id === 1 && typeof message.result !== "string") {
      this.#drop("it has no eth_subscribe");
    } else if (message.id === 1) {
      clearTimeout(this.#timer);
      this.#isSubscribed = true;
      this.#failures = 0;
      this.#announce();
    } else if (message.method === "eth_subscription") {
      this.#announce();
    }
  }

  /** Forwards the first announcement at once and coalesces the rest. */
  #announce(): void {
    this.#unannounced = 0;
    if (this.#pending !== undefined) {
      this.#hasMore = true;
      return;
    }
    this.#options.onHead();
    this.#pending = setTimeout(() => {
      this.#pending = undefined;
      if (this.#hasMore) this.#announce();
    }, MIN_INTERVAL).unref();
    this.#hasMore = false;
  }

  #drop(reason: string): void {
    const socket = this.#socket;
    this.#socket = undefined;
    clearTimeout(this.#timer);
    socket?.close();
    if (this.#isClosed) return;
    if (this.#isSubscribed || this.#failures === 0) this.#options.onError?.(reason);
    this.#isSubscribed = false;
    this.#unannounced = 0;
    const wait = Math.min(this.#retry.first * 2 ** this.#failures++, this.#retry.longest);
    this.#timer = setTimeout(() => this.#connect(), wait).unref();
  }
}

function webSocketAddress(url: string): { href: string; headers: Record<string, string> } {
  const address = new URL(url.replace(/^ws/i, "http"));
  const { headers } = parseEndpoint(address.href);
  // Credentials of the URL become a header; WebSocket URLs allow none.
  address.username = "";
  address.password = "";
  return { href: address.href.replace(/^http/i, "ws"), headers: { ...headers } };
}

function parse(text: string): Readonly<Record<string, unknown>> {
  try {
    const message: unknown = JSON.parse(text);
    return isObject(message) ? message : {};
  } catch {
    return {};
  }
}
