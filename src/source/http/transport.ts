import { defined } from "../../std/values.ts";
import type { Endpoint } from "../endpoint.ts";
import { closedFailure } from "../failure.ts";
import { ENCODINGS } from "./bodyDecoder.ts";
import type { ConnectionLimits, Exchange, Reply } from "./connection.ts";
import { Connection } from "./connection.ts";
import { isLoopback } from "./proxy.ts";

interface TransportLimits extends ConnectionLimits {
  readonly sockets: number;
}

/** Sends a request to a node and returns the response. Never retries. */
export interface Transport {
  /** Changes when another process may have replaced the node. */
  readonly epoch: number;
  /** With `asBytes`, the response may have its body as bytes. */
  post(body: string, maxBytes: number, asBytes?: boolean): Promise<Reply>;
  close(): void;
}

/** Keeps a few sockets to one endpoint open. */
export class HttpTransport implements Transport {
  readonly #endpoint: Endpoint;
  readonly #limits: TransportLimits;
  readonly #requestHead: string;
  readonly #connections = new Set<Connection>();
  /** LIFO, so that surplus sockets time out. */
  readonly #idle: Connection[] = [];
  readonly #waiting: Exchange[] = [];
  #epoch = 0;
  #isClosed = false;

  constructor(endpoint: Endpoint, limits: TransportLimits) {
    this.#endpoint = endpoint;
    this.#limits = limits;
    this.#requestHead = requestHead(endpoint, "POST");
  }

  /** Changes after a failure and when the last socket closes. */
  get epoch(): number {
    return this.#epoch;
  }

  post(body: string, maxBytes: number, asBytes = false): Promise<Reply> {
    const length = Buffer.byteLength(body);
    const head = `${this.#requestHead}content-length: ${length}\r\n\r\n`;
    return this.#exchange({ head, body, isAscii: length === body.length, maxBytes, asBytes });
  }

  /** Path relative to the endpoint's. */
  get(path: string, maxBytes: number): Promise<Reply> {
    return this.#exchange({
      head: `${requestHead(this.#endpoint, "GET", path)}\r\n`,
      body: "",
      isAscii: true,
      maxBytes,
    });
  }

  async #exchange(request: Omit<Exchange, "resolve" | "reject">): Promise<Reply> {
    if (this.#isClosed) throw closedFailure(this.#endpoint);
    const { promise, resolve, reject } = Promise.withResolvers<Reply>();
    this.#waiting.push({ ...request, resolve, reject });
    this.#serve();
    try {
      return await promise;
    } catch (error) {
      this.#epoch++;
      throw error;
    }
  }

  close(): void {
    this.#isClosed = true;
    for (const exchange of this.#waiting.splice(0)) exchange.reject(closedFailure(this.#endpoint));
    for (const connection of this.#connections) connection.close(closedFailure(this.#endpoint));
  }

  #serve(): void {
    while (this.#waiting.length > 0) {
      const connection = this.#idle.pop() ?? this.#connect();
      if (connection === undefined) return;
      connection.send(defined(this.#waiting.shift()));
    }
  }

  #connect(): Connection | undefined {
    if (this.#connections.size >= this.#limits.sockets) return undefined;
    const connection: Connection = new Connection(this.#endpoint, this.#limits, {
      onIdle: () => {
        this.#idle.push(connection);
        this.#serve();
      },
      onClose: () => this.#forget(connection),
    });
    this.#connections.add(connection);
    return connection;
  }

  #forget(connection: Connection): void {
    this.#connections.delete(connection);
    const at = this.#idle.indexOf(connection);
    if (at !== -1) this.#idle.splice(at, 1);
    if (this.#connections.size === 0) this.#epoch++;
    this.#serve();
  }
}

/** Without the content-length header, which comes last. */
function requestHead(endpoint: Endpoint, method: "GET" | "POST", below = ""): string {
  const { name, isSecure, hostname, path, host, headers, proxy } = endpoint;
  // On loopback, compression costs more than it saves.
  const encodings = isLoopback(hostname) ? "identity" : ENCODINGS;
  const content = method === "POST" ? { "content-type": "application/json" } : { accept: "application/json" };
  const all = { host, ...content, ...headers, "accept-encoding": encodings };
  const authorization = !isSecure && proxy?.authorization;
  const proxied = authorization ? { ...all, "proxy-authorization": authorization } : all;
  const lines = Object.entries({ ...proxied, connection: "keep-alive" }).map(([key, value]) => `${key}: ${value}\r\n`);
  // A proxy gets the absolute URL, except in a TLS tunnel.
  const target = proxy === undefined || isSecure ? path : name + path;
  return `${method} ${below === "" ? target : target.replace(/\/$/, "") + below} HTTP/1.1\r\n${lines.join("")}`;
}
