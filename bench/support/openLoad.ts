import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

/** Requests that are sent at a fixed rate whatever becomes of them, as many independent clients do. */
export interface OpenLoad {
  readonly origin: string;
  /** Each request has a number of its own after it, so that nothing is answered from a cache. */
  readonly paths: readonly string[];
  /** Requests a second. */
  readonly rate: number;
  readonly seconds: number;
}

export interface OpenLoadResult {
  readonly sent: number;
  /** Responses by status; 0 counts requests that got none. */
  readonly statuses: Readonly<Record<string, number>>;
  /** Milliseconds from when a request was due to its response, of those with 200 and of all others. */
  readonly served: readonly number[];
  readonly refused: readonly number[];
  /** Milliseconds from the last request to the last response. */
  readonly drainMs: number;
}

/** Sends a load from a process of its own. */
export async function sendOpenLoad(load: OpenLoad): Promise<OpenLoadResult> {
  const child = fork(fileURLToPath(new URL("./openLoadClient.ts", import.meta.url)));
  child.send(load);
  const [result] = await once(child, "message");
  child.disconnect();
  return result as OpenLoadResult;
}
