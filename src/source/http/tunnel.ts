import type { Socket } from "node:net";
import net from "node:net";
import { Duplex } from "node:stream";
import tls from "node:tls";
import type { HttpProxy } from "./proxy.ts";

/** A longer response to CONNECT is not from a proxy. */
const MAX_HEAD_LENGTH = 16 << 10;

export function connectProxy({ hostname, port, isSecure }: HttpProxy, options: object = {}): Socket {
  const where = { ...options, host: hostname, port };
  const servername = net.isIP(hostname) === 0 ? hostname : "";
  return isSecure ? tls.connect({ ...where, servername, ALPNProtocols: ["http/1.1"] }) : net.connect(where);
}

/** CONNECT tunnel (RFC 9110, 9.3.6). Buffers writes until it is open. */
export class Tunnel extends Duplex {
  readonly #socket: Socket;
  readonly #proxy: HttpProxy;
  readonly #opened: (() => void)[] = [];
  #head = Buffer.alloc(0);
  #isOpen = false;

  constructor(proxy: HttpProxy, authority: string) {
    super();
    this.#proxy = proxy;
    this.#socket = connectProxy(proxy);
    this.#socket.setNoDelay(true);
    this.#socket.once(proxy.isSecure ? "secureConnect" : "connect", () => {
      const { authorization } = proxy;
      const own = authorization === undefined ? "" : `proxy-authorization: ${authorization}\r\n`;
      this.#socket.write(`CONNECT ${authority} HTTP/1.1\r\nhost: ${authority}\r\n${own}\r\n`);
    });
    this.#socket.on("data", (chunk: Buffer) => this.#receive(chunk));
    this.#socket.once("end", () => this.push(null));
    this.#socket.once("error", (error) => this.destroy(error));
    this.#socket.once("close", () => this.destroy());
  }

  override _read(): void {
    this.#socket.resume();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    if (this.#isOpen) this.#socket.write(chunk, done);
    else this.#opened.push(() => this.#socket.write(chunk, done));
  }

  override _final(done: () => void): void {
    this.#socket.end(done);
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#socket.destroy();
    done(error);
  }

  #receive(chunk: Buffer): void {
    if (this.#isOpen) {
      if (!this.push(chunk)) this.#socket.pause();
      return;
    }
    this.#head = Buffer.concat([this.#head, chunk]);
    const end = this.#head.indexOf("\r\n\r\n");
    if (end < 0 && this.#head.length < MAX_HEAD_LENGTH) return;
    const [, status = "no HTTP"] = /^HTTP\/1\.[01] (\d{3})/.exec(this.#head.toString("latin1", 0, 20)) ?? [];
    if (end < 0 || !/^2/.test(status)) {
      const code = `the proxy at ${this.#proxy.name} answered with ${status}`;
      this.destroy(Object.assign(new Error("refused by a proxy"), { code }));
      return;
    }
    this.#isOpen = true;
    const rest = this.#head.subarray(end + 4);
    if (rest.length > 0) this.push(rest);
    for (const write of this.#opened.splice(0)) write();
  }
}
