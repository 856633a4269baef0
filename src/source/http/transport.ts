import { defined } from "../../std/defined.ts";
import type { Endpoint } from "../endpoint.ts";
import { closedFailure } from "../failure.ts";
import { ENCODINGS } from "./bodyDecoder.ts";
import type { ConnectionLimits, Exchange, Reply } from "./connection.ts";
import { Connection } from "./connection.ts";

export interface TransportLimits extends ConnectionLimits {
  readonly sockets: number;
}

/** What takes a request to a node and brings its answer back. Nothing is sent twice: that is for the caller to decide. */
export interface Carrier {
  /** Changes when another process may have taken the node's place. */
  readonly epoch: number;
  post(body: string, maxBytes: number): Promise<Reply>;
  close(): void;
}

/** Posts to one endpoint over a few sockets that are kept open. */
export class Transport implements Carrier {
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
    this.#requestHead = requestHead(endpoint);
  }

  /** Changes after a failure and when the last socket closed. */
  get epoch(): number {
    return this.#epoch;
  }

  async post(body: string, maxBytes: number): Promise<Reply> {
    if (this.#isClosed) throw closedFailure(this.#endpoint);
    const { promise, resolve, reject } = Promise.withResolvers<Reply>();
    const length = Buffer.byteLength(body);
    const head = `${this.#requestHead}content-length: ${length}\r\n\r\n`;
    this.#waiting.push({ head, body, isAscii: length === body.length, maxBytes, resolve, reject });
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

/** All but the last header, which is the length of the body. */
function requestHead(endpoint: Endpoint): string {
  const { path, host, headers } = endpoint;
  const encodings = isLoopback(endpoint) ? "identity" : ENCODINGS;
  const all = { host, "content-type": "application/json", ...headers, "accept-encoding": encodings };
  const lines = Object.entries({ ...all, connection: "keep-alive" }).map(([name, value]) => `${name}: ${value}\r\n`);
  return `POST ${path} HTTP/1.1\r\n${lines.join("")}`;
}

/** A node on the same machine: to compress what it says would take longer than to send it. */
function isLoopback({ hostname }: Endpoint): boolean {
  return hostname === "localhost" || hostname === "::1" || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}
