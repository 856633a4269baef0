import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import { printBars, printTable, writeResult } from "./support/measure.ts";
import { startNetworks } from "./support/program.ts";

/** Limits of an idle `npm start`: CPU of one core, and memory. */
const MAX_CPU_PERCENT = 3;
const MAX_MEGABYTES = 350;

/** `npm run bench -- idle [--settle SECONDS] [--seconds N]`: both networks with their demonstrations, once verified and compiled too. */
export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: { settle: { type: "string", default: "240" }, seconds: { type: "string", default: "60" } },
  });
  const seconds = Number(values.seconds);
  const program = await startNetworks("--demo");
  try {
    for (const url of program.urls) while (!(await isIndexed(url))) await delay(1000);
    await delay(Number(values.settle) * 1000);
    const before = program.cpuMs();
    await delay(seconds * 1000);
    const cpuPercent = (program.cpuMs() - before) / (seconds * 10);
    const [rssMegabytes, peakRssMegabytes] = [program.rssMegabytes(), program.peakRssMegabytes()];
    printTable("Both networks, idle", [["peak RSS since the start, MB", peakRssMegabytes.toFixed(0)]]);
    printBars([
      { what: "CPU, percent of a core", value: cpuPercent, atMost: MAX_CPU_PERCENT },
      { what: "RSS, MB", value: rssMegabytes, atMost: MAX_MEGABYTES },
    ]);
    writeResult("idle", { cpuPercent, rssMegabytes, peakRssMegabytes });
  } finally {
    await program.stop();
  }
}

/** The history of the demonstration is made before the first block is served. */
async function isIndexed(url: string): Promise<boolean> {
  const response = await fetch(`${url}/ready`);
  return response.ok;
}
