import type { Socket } from "node:net";
import { connect, createServer } from "node:net";
import type { Cleaning } from "./program.ts";

/** A proxy in front of a server, whose connections a test cuts or lets hang. */
export class TcpProxy {
  target: number;
  /** Decides what happens to a message of a client: "cut" before or "cut after" the server gets it. */
  onMessage: (data: Buffer, client: Socket) => "pass" | "cut" | "cut after" = () => "pass";
  readonly #pairs = new Set<readonly [Socket, Socket]>();
  readonly #server = createServer({ noDelay: true }, (client) => this.#join(client));
  #isHanging = false;

  private constructor(target: number) {
    this.target = target;
  }

  static async open(t: Cleaning, target: number): Promise<TcpProxy> {
    const proxy = new TcpProxy(target);
    await new Promise<void>((resolve) => {
      proxy.#server.listen(0, "127.0.0.1", resolve);
    });
    t.after(() => proxy.close());
    return proxy;
  }

  get port(): number {
    return (this.#server.address() as { port: number }).port;
  }

  /** Cuts all connections. */
  cut(): void {
    for (const pair of this.#pairs) for (const socket of pair) socket.destroy();
  }

  /** Passes nothing on, and closes nothing either. */
  hang(): void {
    this.#isHanging = true;
    for (const pair of this.#pairs) for (const socket of pair) socket.pause();
  }

  /** Connections that hung are cut. */
  resume(): void {
    this.#isHanging = false;
    this.cut();
  }

  close(): void {
    this.#server.close();
    this.cut();
  }

  #join(client: Socket): void {
    const server = connect({ port: this.target, host: "127.0.0.1", noDelay: true });
    const pair = [client, server] as const;
    this.#pairs.add(pair);
    client.on("data", (data: Buffer) => this.#pass(data, client, server));
    server.on("data", (data) => client.write(data));
    for (const [from, to] of [pair, [server, client] as const]) {
      from.on("error", () => {});
      from.on("close", () => {
        to.destroy();
        this.#pairs.delete(pair);
      });
      if (this.#isHanging) from.pause();
    }
  }

  #pass(data: Buffer, client: Socket, server: Socket): void {
    const fate = this.onMessage(data, client);
    if (fate === "pass") server.write(data);
    else if (fate === "cut") client.destroy();
    else {
      // The response to the commit is lost.
      server.removeAllListeners("data").on("data", (answer) => {
        if (answer.includes("COMMIT\0")) client.destroy();
      });
      server.write(data);
    }
  }
}

/** The URL of a server through a proxy in front of it. */
export async function throughProxy(
  t: Cleaning,
  url: string,
): Promise<{ readonly proxy: TcpProxy; readonly url: string }> {
  const proxied = new URL(url);
  const proxy = await TcpProxy.open(t, Number(proxied.port));
  proxied.port = String(proxy.port);
  return { proxy, url: proxied.href };
}
