import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

/** A bare route in a process of its own, so that what it holds in memory costs nobody else anything. */
export class BareRoute {
  readonly #child: ChildProcess;
  readonly origin: string;

  private constructor(child: ChildProcess, origin: string) {
    this.#child = child;
    this.origin = origin;
  }

  /** It passes what is posted to it on to a node, with undici; and answers a buffer of so many bytes at `/static`. */
  static async proxy(url: string, bytes: number): Promise<BareRoute> {
    const child = fork(fileURLToPath(new URL("./bareProxy.ts", import.meta.url)), [url, String(bytes)]);
    const [origin] = (await once(child, "message")) as [string];
    return new BareRoute(child, origin);
  }

  /** It answers the objects of these texts, each at its place in them. */
  static async start(texts: readonly string[]): Promise<BareRoute> {
    const child = fork(fileURLToPath(new URL("./bareServer.ts", import.meta.url)));
    child.send({ texts });
    const [origin] = (await once(child, "message")) as [string];
    return new BareRoute(child, origin);
  }

  /** Milliseconds of CPU so far. */
  async cpu(): Promise<number> {
    this.#child.send("cpu");
    const [milliseconds] = (await once(this.#child, "message")) as [number];
    return milliseconds;
  }

  close(): void {
    this.#child.disconnect();
  }
}
