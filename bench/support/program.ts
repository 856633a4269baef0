import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { PROGRAM_FLAGS } from "../../bin/node.js";
import { findProgram } from "../../bin/program.js";

/** The whole program as a user starts it, in a process of its own. */
export interface Program {
  readonly url: string;
  /** The most memory it ever had, as the system counts it. */
  peakRssMegabytes(): number;
  rssMegabytes(): number;
  /** Of all its threads so far. */
  cpuMs(): number;
  /** Time that its main thread has waited for a core so far. */
  waitedMs(): number;
  stop(): Promise<void>;
}

export async function startProgram(rpc: string, ...flags: string[]): Promise<Program> {
  const { urls, ...program } = await start("start", 1, "--rpc", rpc, "--integrity", "enforce", ...flags);
  return { ...program, url: urls[0]! };
}

/** A process that serves a database. */
export async function startServing(rpc: string, store: string): Promise<Program> {
  const { urls, ...program } = await start("serve", 1, "--rpc", rpc, "--store", store);
  return { ...program, url: urls[0]! };
}

/** Both networks on embedded chains. */
export async function startNetworks(
  demo: "--demo" | "--no-demo",
): Promise<Omit<Program, "url"> & { readonly urls: readonly string[] }> {
  return await start("start", 2, demo);
}

/** One network on an embedded chain. */
export async function startNode(...flags: string[]): Promise<Program> {
  const { urls, ...program } = await start("start", 1, "--network", "mainnet", "--no-demo", ...flags);
  return { ...program, url: urls[0]! };
}

async function start(command: string, networks: number, ...flags: string[]) {
  const directory = mkdtempSync(join(tmpdir(), "oriel-bench-"));
  const main = findProgram(fileURLToPath(new URL("../../", import.meta.url)));
  const args = [...PROGRAM_FLAGS, main, command, "--data", directory, "--port", "0", ...flags];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  const urls = await servedUrls(child.stdout, networks);
  const readStatus = (field: string) => {
    const status = readFileSync(`/proc/${child.pid}/status`, "utf8");
    return Number(new RegExp(`${field}:\\s+(\\d+)`).exec(status)![1]);
  };
  return {
    urls,
    peakRssMegabytes: () => readStatus("VmHWM") / 1024,
    rssMegabytes: () => readStatus("VmRSS") / 1024,
    cpuMs: () => cpuOf(child.pid!),
    waitedMs: () => waitOf(child.pid!),
    async stop() {
      child.kill("SIGTERM");
      await once(child, "exit");
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

const MS_PER_TICK = 10;

/** Milliseconds of CPU of a process so far. */
export function cpuOf(pid: number): number {
  // The name of the program is in brackets and may contain spaces.
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]!.split(" ");
  return (Number(fields[11]) + Number(fields[12])) * MS_PER_TICK;
}

function waitOf(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, "utf8").split(" ")[1]) / 1e6;
}

async function servedUrls(output: AsyncIterable<Buffer>, networks: number): Promise<string[]> {
  const { promise, resolve, reject } = Promise.withResolvers<string[]>();
  const read = async () => {
    let text = "";
    for await (const chunk of output) {
      text += chunk.toString();
      const found = [...text.matchAll(/(?:serving|chain \d+)\s+(http:\S+)/g)].map((match) => match[1]!);
      if (found.length >= networks) resolve(found.slice(0, networks));
    }
    reject(new Error(`the program ended: ${text}`));
  };
  void read();
  return promise;
}
