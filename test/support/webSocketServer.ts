import { createHash } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { Cleaning } from "./program.ts";

/** A scripted WebSocket server (RFC 6455, messages of up to 65,535 bytes). */
export class WebSocketServer {
  readonly url: string;
  /** Received messages, in order. */
  readonly received: string[] = [];
  readonly requests: Readonly<Record<string, string | string[] | undefined>>[] = [];
  readonly #sockets: Set<Socket>;

  private constructor(port: number, sockets: Set<Socket>) {
    this.url = `ws://127.0.0.1:${port}`;
    this.#sockets = sockets;
  }

  /** `answer` is what each message of a client is answered with. */
  static async start(t: Cleaning, answer: (message: string) => unknown): Promise<WebSocketServer> {
    const sockets = new Set<Socket>();
    const server = createServer((_, response) => response.writeHead(405).end());
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const own = new WebSocketServer((server.address() as AddressInfo).port, sockets);
    server.on("upgrade", (request, socket: Socket) => {
      own.requests.push(request.headers);
      const key = `${request.headers["sec-websocket-key"]}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`;
      const accept = createHash("sha1").update(key).digest("base64");
      socket.write(
        `HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: Upgrade\r\nsec-websocket-accept: ${accept}\r\n\r\n`,
      );
      sockets.add(socket);
      socket.on("error", () => {});
      socket.on("close", () => sockets.delete(socket));
      socket.on("data", (frame: Buffer) => {
        if ((frame[0]! & 15) !== 1) {
          socket.end();
          return;
        }
        const message = unmask(frame);
        own.received.push(message);
        const reported = answer(message);
        if (reported !== undefined) send(socket, JSON.stringify(reported));
      });
    });
    t.after(() => {
      own.disconnect();
      server.close();
    });
    return own;
  }

  get clients(): number {
    return this.#sockets.size;
  }

  broadcast(message: unknown): void {
    for (const socket of this.#sockets) send(socket, JSON.stringify(message));
  }

  disconnect(): void {
    for (const socket of this.#sockets) socket.destroy();
  }
}

function send(socket: Socket, text: string): void {
  const payload = Buffer.from(text);
  const length = payload.length < 126 ? [payload.length] : [126, payload.length >> 8, payload.length & 255];
  socket.write(Buffer.concat([Buffer.from([0x81, ...length]), payload]));
}

function unmask(frame: Buffer): string {
  const isLong = (frame[1]! & 127) === 126;
  const [length, at] = isLong ? [frame.readUInt16BE(2), 4] : [frame[1]! & 127, 2];
  const mask = frame.subarray(at, at + 4);
  return Buffer.from(frame.subarray(at + 4, at + 4 + length).map((byte, i) => byte ^ mask[i % 4]!)).toString();
}
