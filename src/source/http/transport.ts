import { defined } from "../../std/defined.ts";
import type { Endpoint } from "../endpoint.ts";
import { closedFailure } from "../failure.ts";
import { ENCODINGS } from "./bodyDecoder.ts";
import type { ConnectionLimits, Exchange, Reply } from "./connection.ts";
import { Connection } from "./connection.ts";
import { isLoopback } from "./proxy.ts";

export interface TransportLimits extends ConnectionLimits {
  readonly sockets: number;
}

/** What takes a request to a node and brings its answer back. Nothing is sent twice: that is for the caller to decide. */
export interface Transport {
  /** Changes when another process may have taken the node's place. */
  readonly epoch: number;
  post(body: string, maxBytes: number): Promise<Reply>;
  close(): void;
}

/** Posts to one endpoint over a few sockets that are kept open. */
export class HttpTransport implements Transport {
  readonly #endpoint: Endpoint;
  readonly #limits: TransportLimits;
  readonly #requestHead: string;
  readonly #connections = new Set<Connection>();
  /** The one used last is used first, so that few stay in use and the others close in time. */
  readonly #idle: Connection[] = [];
  readonly #waiting: Exchange[] = [];
  #epoch = 0;
  #isClosed = false;

  constructor(endpoint: Endpoint, limits: TransportLimits) {
    this.#endpoint = endpoint;
    this.#limits = limits;
    this.#requestHead = requestHead(endpoint, "POST");
  }

  /** Changes after a failure and when the last socket closed. */
  get epoch(): number {
    return this.#epoch;
  }

  post(body: string, maxBytes: number): Promise<Reply> {
    const length = Buffer.byteLength(body);
    const head = `${this.#requestHead}content-length: ${length}\r\n\r\n`;
    return this.#exchange({ head, body, isAscii: length === body.length, maxBytes });
  }

  /** Reads what is at a path below that of the endpoint. */
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

/** All but the last header, which is the length of a body. */
function requestHead(endpoint: Endpoint, method: "GET" | "POST", below = ""): string {
  const { name, isSecure, hostname, path, host, headers, proxy } = endpoint;
  // What a node on the same machine says takes longer to compress than to send.
  const encodings = isLoopback(hostname) ? "identity" : ENCODINGS;
  const content = method === "POST" ? { "content-type": "application/json" } : { accept: "application/json" };
  const all = { host, ...content, ...headers, "accept-encoding": encodings };
  const authorization = !isSecure && proxy?.authorization;
  const proxied = authorization ? { ...all, "proxy-authorization": authorization } : all;
  const lines = Object.entries({ ...proxied, connection: "keep-alive" }).map(([key, value]) => `${key}: ${value}\r\n`);
  // A proxy is told the whole URL, unless it is a tunnel for TLS.
  const target = proxy === undefined || isSecure ? path : name + path;
  return `${method} ${below === "" ? target : target.replace(/\/$/, "") + below} HTTP/1.1\r\n${lines.join("")}`;
}
