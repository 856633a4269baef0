import { readFileSync, writeFileSync } from "node:fs";
import { createApp } from "../../src/api/app.ts";
import { openStoreReadOnly } from "../../src/store/openStore.ts";

/**
 * Serves the index of a directory in a process of its own. It tells its parent how long the thread worked without a turn for anybody
 * else, in CPU time, as other processes may take the machine meanwhile, and by how much its memory grew. On Linux alone.
 */
const store = await openStoreReadOnly(process.argv[2]!);
const app = createApp({ store, settings: { version: "0", chainId: 677, chainName: "Bench" } });

let isMeasuring = false;
let eventLoopDelayMs = 0;
let last = 0;
let before = 0;

const cpuMs = () => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
};

const status = (name: string) =>
  Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(readFileSync("/proc/self/status", "utf8"))![1]) / 1024;

function turn(): void {
  const now = cpuMs();
  eventLoopDelayMs = Math.max(eventLoopDelayMs, now - last);
  last = now;
  if (isMeasuring) setImmediate(turn);
}

process.on("message", (message: "begin" | "end") => {
  isMeasuring = message === "begin";
  if (!isMeasuring) {
    process.send!({ eventLoopDelayMs, megabytes: status("VmHWM") - before });
    return;
  }
  global.gc?.();
  // Forgets the most memory that the process ever had.
  writeFileSync("/proc/self/clear_refs", "5");
  before = status("VmRSS");
  eventLoopDelayMs = 0;
  last = cpuMs();
  turn();
  process.send!("begun");
});
process.on("disconnect", () => process.exit());
process.send!(await app.listen({ port: 0, host: "127.0.0.1" }));
