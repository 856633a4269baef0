import { once } from "node:events";
import { Worker } from "node:worker_threads";

/**
 * Modules as a browser takes them. What Node loads to read types takes 18 MB and a tenth of a second, so it is done in
 * a thread that ends with it.
 */
export async function stripTypes(sources: readonly string[]): Promise<readonly string[]> {
  const worker = new Worker(new URL(WORKER, import.meta.url), { workerData: sources });
  const [stripped] = (await once(worker, "message")) as [string[]];
  return stripped;
}

const WORKER = import.meta.url.endsWith(".ts") ? "./stripTypesWorker.ts" : "./stripTypesWorker.js";
