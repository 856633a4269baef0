import { fork } from "node:child_process";
import { Agent, request } from "node:http";
import { fileURLToPath } from "node:url";

export interface BenchUpstream {
  readonly url: string;
  close(): void;
}

/**
 * Starts a node that serves `blocks` synthetic blocks, in a process of its own. For other indexers it finds transfers, and
 * has so many more that are `hidden` but from `/final`, where the last of the others are final.
 */
export async function startUpstream(
  shape: string,
  blocks: number,
  seed: number,
  hidden?: number,
): Promise<BenchUpstream> {
  const server = fileURLToPath(new URL("./upstreamServer.ts", import.meta.url));
  const child = fork(server, [
    shape,
    String(blocks + (hidden ?? 0)),
    String(seed),
    ...(hidden === undefined ? [] : [String(hidden)]),
  ]);
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  child.once("message", (message) => resolve((message as { url: string }).url));
  child.once("exit", (code) => reject(new Error(`the upstream ended with ${code}`)));
  return { url: await promise, close: () => child.disconnect() };
}

/** The plainest possible client: one POST over a kept socket, the body in one buffer. */
export class PlainClient {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 8 });
  readonly #url: string;

  constructor(url: string) {
    this.#url = url;
  }

  /** The answer to a block and its receipts, asked for in one batch. */
  fetch(number: number): Promise<Buffer> {
    const id = `0x${number.toString(16)}`;
    const body = JSON.stringify([
      { jsonrpc: "2.0", id: 1, method: "eth_getBlockByNumber", params: [id, true] },
      { jsonrpc: "2.0", id: 2, method: "eth_getBlockReceipts", params: [id] },
    ]);
    const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
    const options = { agent: this.#agent, method: "POST", headers: { "content-type": "application/json" } };
    const call = request(this.#url, options, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("end", () => resolve(Buffer.concat(chunks)));
    });
    call.on("error", reject);
    call.end(body);
    return promise;
  }

  close(): void {
    this.#agent.destroy();
  }
}
