import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { Load } from "./loadClient.ts";

/** Sends requests from a process of its own, over kept sockets. */
export class LoadClient {
  readonly #child = fork(fileURLToPath(new URL("./loadClient.ts", import.meta.url)));

  /** Answers when all have been answered with 200, with the milliseconds that took. */
  async send(load: Load): Promise<number> {
    const ended = new AbortController();
    const exit = once(this.#child, "exit", { signal: ended.signal }).then(() => {
      throw new Error("the client ended");
    });
    this.#child.send(load);
    const [wallMs] = await Promise.race([once(this.#child, "message"), exit]);
    exit.catch(() => {});
    ended.abort();
    return wallMs as number;
  }

  close(): void {
    this.#child.disconnect();
  }
}
