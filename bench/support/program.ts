import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The whole program as a user starts it, in a process of its own. */
export interface Program {
  readonly url: string;
  /** The most memory it ever had, as the system counts it. */
  peakRssMegabytes(): number;
  stop(): Promise<void>;
}

export async function startProgram(rpc: string, ...flags: string[]): Promise<Program> {
  const directory = mkdtempSync(join(tmpdir(), "oriel-bench-"));
  const main = fileURLToPath(new URL("../../src/main.ts", import.meta.url));
  const args = [main, "start", "--rpc", rpc, "--data", directory, "--port", "0", "--integrity", "enforce", ...flags];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  const url = await servedUrl(child.stdout);
  return {
    url,
    peakRssMegabytes: () => Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, "utf8"))![1]) / 1024,
    async stop() {
      child.kill("SIGTERM");
      await once(child, "exit");
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

async function servedUrl(output: AsyncIterable<Buffer>): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const read = async () => {
    let text = "";
    for await (const chunk of output) {
      text += chunk.toString();
      const found = /serving (http:\S+)/.exec(text);
      if (found !== null) resolve(found[1]!);
    }
    reject(new Error(`the program ended: ${text}`));
  };
  void read();
  return promise;
}
