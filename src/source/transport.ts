import type { ClientRequest, IncomingHttpHeaders, IncomingMessage } from "node:http";
import http from "node:http";
import https from "node:https";
import type { Socket } from "node:net";
import type { Endpoint } from "./endpoint.ts";
import { closedFailure, malformed, networkFailure, UpstreamError } from "./failure.ts";

export interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export interface TransportLimits {
  /** For the head of an answer, from when a socket was had. */
  readonly timeoutMs: number;
  /** For the whole answer after its head. */
  readonly bodyTimeoutMs: number;
  readonly sockets: number;
}

/** Posts to one endpoint over a few sockets that are kept open. */
export class Transport {
  readonly #endpoint: Endpoint;
  readonly #limits: TransportLimits;
  readonly #agent: http.Agent;
  readonly #exchanges = new Set<Exchange>();
  #openSockets = 0;
  #epoch = 0;
  #isClosed = false;

  constructor(endpoint: Endpoint, limits: TransportLimits) {
    this.#endpoint = endpoint;
    this.#limits = limits;
    const pool = { keepAlive: true, maxSockets: limits.sockets, maxFreeSockets: limits.sockets };
    this.#agent = endpoint.isSecure ? new https.Agent(pool) : new http.Agent(pool);
  }

  /** Changes when another process may have taken the node's place: after a failure or when the last socket closed. */
  get epoch(): number {
    return this.#epoch;
  }

  async post(body: string, maxBytes: number): Promise<Reply> {
    if (this.#isClosed) throw closedFailure(this.#endpoint);
    const request = this.#open(body);
    const exchange = new Exchange(this.#endpoint, request, this.#limits, maxBytes);
    this.#exchanges.add(exchange);
    request.end(body);
    try {
      return await exchange.reply;
    } catch (error) {
      this.#epoch++;
      throw error;
    } finally {
      this.#exchanges.delete(exchange);
    }
  }

  close(): void {
    this.#isClosed = true;
    for (const exchange of this.#exchanges) exchange.fail(closedFailure(this.#endpoint));
    this.#agent.destroy();
  }

  #open(body: string): ClientRequest {
    const { hostname, port, path, headers, isSecure } = this.#endpoint;
    const request = (isSecure ? https : http).request({
      method: "POST",
      hostname,
      port,
      path,
      agent: this.#agent,
      headers: { "content-type": "application/json", ...headers, "content-length": Buffer.byteLength(body) },
    });
    request.once("socket", (socket) => {
      if (!request.reusedSocket) this.#watch(socket);
    });
    return request;
  }

  #watch(socket: Socket): void {
    this.#openSockets++;
    socket.once("close", () => {
      this.#openSockets--;
      if (this.#openSockets === 0) this.#epoch++;
    });
  }
}

/** One request and its answer, under a deadline for the head, one for the body, and a bound on its bytes. */
class Exchange {
  readonly reply: Promise<Reply>;
  readonly #endpoint: Endpoint;
  readonly #request: ClientRequest;
  readonly #maxBytes: number;
  readonly #chunks: Buffer[] = [];
  readonly #resolve: (reply: Reply) => void;
  readonly #reject: (error: UpstreamError) => void;
  #bytes = 0;
  #isAnswered = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(endpoint: Endpoint, request: ClientRequest, limits: TransportLimits, maxBytes: number) {
    const { promise, resolve, reject } = Promise.withResolvers<Reply>();
    this.reply = promise;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#endpoint = endpoint;
    this.#request = request;
    this.#maxBytes = maxBytes;
    request.once("socket", () => this.#limitTime(limits.timeoutMs, "no answer"));
    request.on("error", (error) => {
      if (this.#isAnswered) this.#cut();
      else this.fail(networkFailure(endpoint, error));
    });
    request.once("response", (response) => {
      this.#isAnswered = true;
      this.#limitTime(limits.bodyTimeoutMs, "only a part of an answer");
      this.#receive(response);
    });
  }

  fail(error: UpstreamError): void {
    clearTimeout(this.#timer);
    this.#chunks.length = 0;
    this.#reject(error);
    this.#request.destroy();
  }

  #limitTime(ms: number, got: string): void {
    clearTimeout(this.#timer);
    const message = `the node at ${this.#endpoint.name} sent ${got} within ${ms} ms`;
    const expire = () => this.fail(new UpstreamError("upstream_unavailable", message, { shrink: "later" }));
    this.#timer = setTimeout(expire, ms).unref();
  }

  #receive(response: IncomingMessage): void {
    response.on("error", () => this.#cut());
    response.once("close", () => {
      if (!response.complete) this.#cut();
    });
    const encoding = response.headers["content-encoding"] ?? "identity";
    if (encoding !== "identity") {
      this.fail(malformed(this.#endpoint, "an encoded body, which was not asked for"));
      return;
    }
    if (Number(response.headers["content-length"] ?? 0) > this.#maxBytes) {
      this.#overflow();
      return;
    }
    response.on("data", (chunk: Buffer) => {
      this.#bytes += chunk.length;
      if (this.#bytes > this.#maxBytes) this.#overflow();
      else this.#chunks.push(chunk);
    });
    response.once("end", () => this.#finish(response));
  }

  #finish(response: IncomingMessage): void {
    clearTimeout(this.#timer);
    const body = this.#chunks.length === 1 ? this.#chunks[0]! : Buffer.concat(this.#chunks, this.#bytes);
    this.#resolve({ status: response.statusCode ?? 0, headers: response.headers, body });
  }

  #cut(): void {
    const message = `the node at ${this.#endpoint.name} cut its answer off after ${this.#bytes} bytes`;
    this.fail(new UpstreamError("upstream_invalid", message, { shrink: "later" }));
  }

  #overflow(): void {
    const message = `the answer of the node at ${this.#endpoint.name} is larger than ${this.#maxBytes} bytes`;
    this.fail(new UpstreamError("limit_exceeded", message, { shrink: "now" }));
  }
}
