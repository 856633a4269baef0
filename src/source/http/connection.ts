import type { OnReadOpts, Socket } from "node:net";
import net from "node:net";
import tls from "node:tls";
import type { ChainError } from "../../chain/error.ts";
import { asChainError } from "../../chain/error.ts";
import type { Endpoint } from "../endpoint.ts";
import { malformed, networkFailure, notHttp, UpstreamError } from "../failure.ts";
import { textOf } from "./bodyBuffer.ts";
import type { AnswerHeaders } from "./httpHead.ts";
import { HttpError } from "./httpHead.ts";
import { HttpParser } from "./httpParser.ts";
import type { HttpProxy } from "./proxy.ts";
import { connectProxy, Tunnel } from "./tunnel.ts";

const READ_BYTES = 256 << 10;

export interface Reply {
  readonly status: number;
  readonly headers: AnswerHeaders;
  readonly text: string;
  /** The body, where it was asked for as bytes; `text` is decoded from it when it is read. */
  readonly body?: Buffer;
  readonly bytes: number;
}

class BytesReply implements Reply {
  readonly status: number;
  readonly headers: AnswerHeaders;
  readonly body: Buffer;

  constructor(status: number, headers: AnswerHeaders, body: Buffer) {
    this.status = status;
    this.headers = headers;
    this.body = body;
  }

  get text(): string {
    return textOf(this.body);
  }

  get bytes(): number {
    return this.body.length;
  }
}

export interface Exchange {
  readonly head: string;
  readonly body: string;
  /** ASCII bodies have the same length in every encoding. */
  readonly isAscii: boolean;
  readonly maxBytes: number;
  readonly asBytes?: boolean;
  resolve(reply: Reply): void;
  reject(error: ChainError): void;
}

export interface ConnectionLimits {
  readonly timeoutMs: number;
  readonly bodyTimeoutMs: number;
}

interface ConnectionOwner {
  /** The connection is free for another exchange. */
  onIdle(): void;
  /** Called once, before the last exchange settles. */
  onClose(): void;
}

export class Connection {
  readonly #endpoint: Endpoint;
  readonly #limits: ConnectionLimits;
  readonly #owner: ConnectionOwner;
  readonly #socket: Socket;
  readonly #parser = new HttpParser(
    (error) => this.#endDecoding(error),
    () => this.#socket.resume(),
  );
  #exchange: Exchange | undefined;
  #timer: NodeJS.Timeout | undefined;
  #hasHead = false;
  #isOpen = false;
  #isClosed = false;
  #isSpent = false;

  constructor(endpoint: Endpoint, limits: ConnectionLimits, owner: ConnectionOwner) {
    this.#endpoint = endpoint;
    this.#limits = limits;
    this.#owner = owner;
    this.#socket = openSocket(endpoint, (chunk) => this.#receive(chunk));
    // Nothing is written before the certificate is verified.
    this.#socket.once(isFirstSecure(endpoint) ? "secureConnect" : "connect", () => {
      this.#isOpen = true;
      this.#write();
    });
    this.#socket.on("error", (error) => this.#break(error));
    this.#socket.once("end", () => this.#end());
    this.#socket.once("close", () => this.#break());
  }

  send(exchange: Exchange): void {
    this.#exchange = exchange;
    this.#hasHead = false;
    this.#parser.start(exchange.maxBytes);
    this.#socket.ref();
    this.#limitTime(this.#limits.timeoutMs, "no answer");
    if (this.#isOpen) this.#write();
  }

  close(error: ChainError): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    clearTimeout(this.#timer);
    const exchange = this.#exchange;
    this.#exchange = undefined;
    this.#parser.stop();
    this.#socket.destroy();
    this.#owner.onClose();
    exchange?.reject(error);
  }

  #write(): void {
    if (this.#exchange === undefined) return;
    const { head, body, isAscii } = this.#exchange;
    if (isAscii) {
      this.#socket.write(head + body, "latin1");
      return;
    }
    this.#socket.cork();
    this.#socket.write(head, "latin1");
    this.#socket.write(body, "utf8");
    this.#socket.uncork();
  }

  #receive(chunk: Buffer): void {
    if (this.#isClosed) return;
    if (this.#exchange === undefined || this.#isDecoding) {
      this.#break();
      return;
    }
    try {
      const used = this.#parser.read(chunk);
      // Bytes after a response cannot be trusted to belong to the next one.
      if (used < chunk.length) this.#isSpent = true;
      if (this.#parser.isDone && !this.#parser.isDecoding) this.#finish(this.#exchange);
      else this.#noteHead();
      if (this.#parser.isBehind && !this.#parser.isDone) this.#socket.pause();
    } catch (error) {
      this.close(this.#failureOf(error));
    }
  }

  /** The response arrived but is still being decoded. */
  get #isDecoding(): boolean {
    return this.#exchange !== undefined && this.#parser.isDone && this.#parser.isDecoding;
  }

  #endDecoding(error: HttpError | undefined): void {
    if (this.#exchange === undefined) return;
    this.#socket.resume();
    try {
      if (error !== undefined) throw error;
      this.#finish(this.#exchange);
    } catch (failure) {
      this.close(this.#failureOf(failure));
    }
  }

  #noteHead(): void {
    if (this.#hasHead || this.#parser.head === undefined) return;
    this.#hasHead = true;
    this.#limitTime(this.#limits.bodyTimeoutMs, "only a part of an answer");
  }

  #finish(exchange: Exchange): void {
    const { status, headers, idleMs } = this.#parser.head!;
    const bytes = this.#parser.bytes;
    const reply: Reply = exchange.asBytes
      ? new BytesReply(status, headers, this.#parser.takeBytes())
      : { status, headers, text: this.#parser.takeText(), bytes };
    this.#exchange = undefined;
    clearTimeout(this.#timer);
    if (idleMs === 0 || this.#isSpent || this.#socket.writableLength > 0) this.#break();
    else this.#rest(idleMs);
    exchange.resolve(reply);
  }

  #rest(idleMs: number): void {
    this.#socket.unref();
    this.#timer = setTimeout(() => this.#break(), idleMs).unref();
    this.#owner.onIdle();
  }

  #end(): void {
    this.#parser.end();
    try {
      const isWhole = this.#parser.isDone && !this.#parser.isDecoding;
      if (this.#exchange !== undefined && isWhole) this.#finish(this.#exchange);
    } catch (error) {
      this.close(this.#failureOf(error));
    }
    this.#break();
  }

  #break(error: NodeJS.ErrnoException = { name: "Error", message: "", code: "ECONNRESET" }): void {
    if (this.#isClosed) return;
    if (this.#isDecoding) {
      this.#isSpent = true;
      return;
    }
    const isCut = this.#exchange !== undefined && this.#parser.head !== undefined;
    this.close(isCut ? this.#cut() : networkFailure(this.#endpoint, error, !this.#isOpen));
  }

  #limitTime(ms: number, got: string): void {
    clearTimeout(this.#timer);
    const message = `the node at ${this.#endpoint.name} sent ${got} within ${ms} ms`;
    const expire = () => this.close(new UpstreamError("upstream_unavailable", message, { shrink: "later" }));
    this.#timer = setTimeout(expire, ms).unref();
  }

  #failureOf(error: unknown): ChainError {
    if (!(error instanceof HttpError)) return asChainError(error);
    if (error.fault === "encoded") return malformed(this.#endpoint, "a body in an encoding that was not asked for");
    if (error.fault === "undecodable") return malformed(this.#endpoint, "a body that cannot be decoded");
    if (error.fault === "malformed") return notHttp(this.#endpoint, error.message, this.#parser.head !== undefined);
    const message = `the answer of the node at ${this.#endpoint.name} is larger than ${this.#exchange!.maxBytes} bytes`;
    return new UpstreamError("limit_exceeded", message, { shrink: "now" });
  }

  #cut(): UpstreamError {
    const message = `the node at ${this.#endpoint.name} cut its answer off after ${this.#parser.bytes} bytes`;
    return new UpstreamError("upstream_invalid", message, { shrink: "later" });
  }
}

/** Whether the first handshake is TLS: with the node, or with an HTTPS proxy. */
function isFirstSecure({ isSecure, proxy }: Endpoint): boolean {
  return isSecure || proxy?.isSecure === true;
}

/** All reads share one buffer, so `onRead` must not retain the chunk. */
function openSocket(endpoint: Endpoint, onRead: (chunk: Buffer) => void): Socket {
  const buffer = Buffer.allocUnsafeSlow(READ_BYTES);
  const onread: OnReadOpts = {
    buffer,
    callback: (length) => {
      onRead(buffer.subarray(0, length));
      return true;
    },
  };
  const { hostname, isSecure, proxy } = endpoint;
  const port = Number(endpoint.port || (isSecure ? 443 : 80));
  const secure = { ALPNProtocols: ["http/1.1"], servername: serverName(endpoint) };
  if (proxy !== undefined && isSecure) return openTunnel(proxy, `${authority(hostname)}:${port}`, secure, onRead);
  const options = { host: hostname, port, onread };
  const direct = () => (isSecure ? tls.connect({ ...options, ...secure }) : net.connect(options));
  const socket = proxy === undefined ? direct() : connectProxy(proxy, { onread });
  return socket.setNoDelay(true).setKeepAlive(true, 1000);
}

const authority = (hostname: string) => (hostname.includes(":") ? `[${hostname}]` : hostname);

/** TLS with the node through a CONNECT proxy. */
function openTunnel(
  proxy: HttpProxy,
  to: string,
  secure: tls.ConnectionOptions,
  onRead: (chunk: Buffer) => void,
): Socket {
  const tunnel = new Tunnel(proxy, to);
  const socket = tls.connect({ ...secure, socket: tunnel });
  tunnel.once("error", (error) => socket.destroy(error));
  return socket.on("data", onRead);
}

/** SNI name; empty for an IP address. */
function serverName({ host }: Endpoint): string {
  const name = host.replace(/:\d+$/, "");
  return net.isIP(name.replace(/^\[|\]$/g, "")) === 0 ? name : "";
}
