import { Agent, request } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import type { OpenLoad, OpenLoadResult } from "./openLoad.ts";

/** As many connections as a server of ours takes leave room for those who measure. */
const MAX_SOCKETS = 1500;
const TIMEOUT = 30_000;

const agent = new Agent({ keepAlive: true, maxSockets: MAX_SOCKETS });

process.on("message", async ({ origin, paths, rate, seconds }: OpenLoad) => {
  const statuses: Record<string, number> = {};
  const [served, refused]: [number[], number[]] = [[], []];
  const pending: Promise<void>[] = [];
  const start = performance.now();
  const total = rate * seconds;
  const ask = async (at: number) => {
    const due = start + (at * 1000) / rate;
    const status = await send(`${origin}${paths[at % paths.length]}&n=${at}`);
    statuses[status] = (statuses[status] ?? 0) + 1;
    (status === 200 ? served : refused).push(performance.now() - due);
  };
  for (let sent = 0; sent < total; ) {
    const due = Math.min(total, Math.ceil(((performance.now() - start) * rate) / 1000));
    while (sent < due) pending.push(ask(sent++));
    await delay(2);
  }
  const lastSent = performance.now();
  await Promise.all(pending);
  const drainMs = performance.now() - lastSent;
  process.send?.({ sent: total, statuses, served, refused, drainMs } satisfies OpenLoadResult);
});
process.on("disconnect", () => process.exit());

function send(url: string): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>();
  const call = request(url, { agent, timeout: TIMEOUT }, (response) => {
    response.resume();
    response.on("end", () => resolve(response.statusCode ?? 0));
    response.on("error", () => resolve(0));
  });
  call.on("timeout", () => call.destroy(new Error("timed out")));
  call.on("error", () => resolve(0));
  call.end();
  return promise;
}
