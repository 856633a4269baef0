import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Json } from "./api.ts";

const pathOf = (file: string) => fileURLToPath(new URL(`../../${file}`, import.meta.url));

/** The sources, or the build that `npm test` makes of them, which starts in half the time. */
export const MAIN = process.env.ORIEL_PROGRAM ?? pathOf("src/main.ts");
export const LAUNCHER = pathOf("bin/oriel.js");

/** How a program ended: its exit code or the signal, and what it wrote. */
export interface Ending {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The program as a process of its own. It does not outlive the test. */
export interface Program {
  readonly child: ChildProcess;
  readonly ended: Promise<Ending>;
  readonly stdout: string;
  readonly stderr: string;
  /** Served URL, once printed; throws if the program exits before. */
  url(): Promise<string>;
  stop(signal?: NodeJS.Signals): Promise<Ending>;
}

export interface ProgramOptions {
  readonly script?: string;
  /** Run instead of Node and a script, with nothing of this process's environment. */
  readonly executable?: string;
  readonly cwd?: string;
  readonly environment?: Readonly<Record<string, string>>;
  /** A shell's `ulimit` arguments, such as `-f 1000`. */
  readonly limit?: string;
  readonly isGroup?: boolean;
}

/** Node keeps what it compiled there by the hash of the source, so that only the first start of all tests is slow. */
const COMPILE_CACHE = process.env.NODE_COMPILE_CACHE ?? pathOf("node_modules/.cache/oriel");

/** Registers cleanup; a test context is one. */
export interface Cleaning {
  after(clean: () => unknown): void;
}

export function runProgram(t: Cleaning, args: readonly string[], options: ProgramOptions = {}): Program {
  const { script = MAIN, executable, cwd = tmpdir(), environment = {}, limit, isGroup = false } = options;
  const inherited = Object.entries(process.env).filter(([name]) => !/^(ORIEL_|NODE_)/.test(name));
  // What a test finds on a chain is what it put there; the tests of the demonstration ask for it.
  const own = { ORIEL_DEMO: "false", ...environment };
  const env =
    executable === undefined ? { ...Object.fromEntries(inherited), NODE_COMPILE_CACHE: COMPILE_CACHE, ...own } : own;
  const command = executable === undefined ? [process.execPath, script, ...args] : [executable, ...args];
  const [file, ...rest] =
    limit === undefined ? command : ["bash", "-c", `ulimit ${limit}; exec "$@"`, "bash", ...command];
  const child = spawn(file!, rest, { cwd, env, stdio: ["ignore", "pipe", "pipe"], detached: isGroup });
  const written = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) {
    child[name]!.setEncoding("utf8").on("data", (text: string) => {
      written[name] += text;
    });
  }
  const ended = once(child, "close").then(([code, signal]) => ({ code, signal, ...written }) as Ending);
  const stop = (signal: NodeJS.Signals = "SIGTERM") => {
    if (child.exitCode === null && child.signalCode === null) child.kill(signal);
    return ended;
  };
  t.after(() => stop("SIGKILL"));
  return {
    child,
    ended,
    stop,
    get stdout() {
      return written.stdout;
    },
    get stderr() {
      return written.stderr;
    },
    url: async () => {
      const isEnded = ended.then(() => true);
      for (;;) {
        const found = /serving (http\S+)/.exec(written.stdout);
        if (found !== null) return found[1]!;
        if (await Promise.race([isEnded, delay(10, false)])) throw new Error(`it ended: ${written.stderr}`);
      }
    },
  };
}

export function makeTemporaryDirectory() {
  const directory = mkdtempSync(join(tmpdir(), "oriel-"));
  return { directory, remove: () => rmSync(directory, { recursive: true, force: true }) };
}

export function temporaryDirectory(t: TestContext): string {
  const { directory, remove } = makeTemporaryDirectory();
  t.after(remove);
  return directory;
}

export function childrenOf(pid: number): number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").filter(Boolean).map(Number);
}

export async function get(url: string): Promise<{ status: number; body: Json }> {
  const response = await fetch(url, { headers: { connection: "close" } });
  return { status: response.status, body: (await response.json()) as Json };
}
