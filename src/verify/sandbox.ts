import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { setPriority, tmpdir } from "node:os";
import { join } from "node:path";

export interface SandboxLimits {
  readonly milliseconds: number;
  /** Of memory that is in use. */
  readonly bytes: number;
  /** Of what it prints. */
  readonly output: number;
}

/** What became of a run: what it printed, or why it was ended. */
export type SandboxResult = { readonly output: string } | { readonly ended: "time" | "memory" | "output" | "crash" };

export interface SandboxedProgram {
  readonly script: string;
  /** Files and folders that it may read; it may write none, reach no network and start no process. */
  readonly reads: readonly string[];
  readonly input: string;
}

/** The system ends it after so many seconds of CPU, should this process be killed and not live to do it. */
const LIMITED = 'ulimit -t "$1" && shift && unset PWD OLDPWD SHLVL && exec "$@"';

/** Of 19: who is served comes first, and what is compiled still gets on. */
const NICENESS = 5;

/** Milliseconds between looks at how much memory is in use. */
const LOOK = 100;

/**
 * Runs a script in a process of its own, with no environment and no rights, and ends it where it goes beyond its limits.
 * A process and not a thread: the memory of WebAssembly is outside the limits of threads.
 */
export async function runSandboxed(
  { script, reads, input }: SandboxedProgram,
  limits: SandboxLimits,
  signal?: AbortSignal,
): Promise<SandboxResult> {
  const folder = mkdtempSync(join(tmpdir(), "oriel-sandbox-"));
  const rights = ["--permission", ...[script, ...reads].map((path) => `--allow-fs-read=${path}`)];
  const program = [process.execPath, "--disable-warning=SecurityWarning", ...rights, script];
  const child = spawn("/bin/sh", ["-c", LIMITED, "sh", String(2 * Math.ceil(limits.milliseconds / 1000)), ...program], {
    cwd: folder,
    env: {},
    stdio: ["pipe", "pipe", "ignore"],
    ...(signal !== undefined && { signal, killSignal: "SIGKILL" as const }),
  });
  yieldToEventLoop(child.pid);
  let ended: "time" | "memory" | "output" | undefined;
  const end = (reason: typeof ended) => {
    ended ??= reason;
    child.kill("SIGKILL");
  };
  const timer = setTimeout(() => end("time"), limits.milliseconds);
  const watch = setInterval(() => {
    if (residentBytes(child.pid) > limits.bytes) end("memory");
  }, LOOK);
  const parts: Buffer[] = [];
  let size = 0;
  child.stdout.on("data", (part: Buffer) => {
    size += part.length;
    if (size > limits.output) end("output");
    else parts.push(part);
  });
  // A process that is gone does not read on.
  child.stdin.on("error", () => {});
  child.stdin.end(input);
  try {
    const code = await new Promise<number | null>((resolve) => {
      child.on("error", () => resolve(null));
      child.on("close", resolve);
    });
    if (ended !== undefined) return { ended };
    return code === 0 ? { output: Buffer.concat(parts).toString("utf8") } : { ended: "crash" };
  } finally {
    clearTimeout(timer);
    clearInterval(watch);
    rmSync(folder, { recursive: true, force: true });
  }
}

function yieldToEventLoop(pid: number | undefined): void {
  try {
    if (pid !== undefined) setPriority(pid, NICENESS);
  } catch {
    // It has ended already.
  }
}

/** As the system tells it; 0 where it does not. */
function residentBytes(pid: number | undefined): number {
  try {
    return Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) * 1024;
  } catch {
    return 0;
  }
}
