import type { AddressInfo, Socket } from "node:net";
import { connect, createServer } from "node:net";
import pg from "pg";
import { percentile } from "./measure.ts";

const CALIBRATIONS = 50;

/** A server as if it were far away: what it answers arrives later. */
export class DelayProxy {
  /** Milliseconds. */
  delay = 0;
  readonly #target: URL;
  readonly #sockets = new Set<Socket>();
  readonly #server = createServer({ noDelay: true }, (client) => this.#join(client));

  private constructor(target: string) {
    this.#target = new URL(target);
  }

  static async open(url: string): Promise<DelayProxy> {
    const proxy = new DelayProxy(url);
    await new Promise<void>((resolve) => {
      proxy.#server.listen(0, "127.0.0.1", resolve);
    });
    return proxy;
  }

  get url(): string {
    const url = new URL(this.#target);
    url.port = String((this.#server.address() as AddressInfo).port);
    return url.href;
  }

  /** Milliseconds that a delay adds to a round trip, as timers have it. */
  async calibrate(delay: number): Promise<number> {
    const client = new pg.Client({ connectionString: this.url });
    await client.connect();
    const measure = async (milliseconds: number) => {
      this.delay = milliseconds;
      const times: number[] = [];
      for (let at = 0; at < CALIBRATIONS; at++) {
        const start = performance.now();
        await client.query("SELECT 1");
        times.push(performance.now() - start);
      }
      this.delay = 0;
      return percentile(times, 0.5);
    };
    const near = await measure(0);
    const far = await measure(delay);
    await client.end();
    return far - near;
  }

  close(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  #join(client: Socket): void {
    const server = connect({ port: Number(this.#target.port), host: "127.0.0.1", noDelay: true });
    client.on("data", (data) => server.write(data));
    server.on("data", (data) => {
      if (this.delay === 0) client.write(data);
      else setTimeout(() => client.write(data), this.delay);
    });
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      this.#sockets.add(from);
      from.on("error", () => {});
      from.on("close", () => {
        to.destroy();
        this.#sockets.delete(from);
      });
    }
  }
}
