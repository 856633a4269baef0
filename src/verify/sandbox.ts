import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { setPriority, tmpdir } from "node:os";
import { join } from "node:path";

export interface SandboxLimits {
  readonly milliseconds: number;
  readonly bytes: number;
  readonly output: number;
}

/** The output, or the limit that ended the run. */
export type SandboxResult = { readonly output: string } | { readonly ended: "time" | "memory" | "output" | "crash" };

interface SandboxedProgram {
  readonly script: string;
  /** Readable files and directories. Writing, network and child processes are denied. */
  readonly reads: readonly string[];
  readonly input: string;
}

/** CPU limit enforced by the kernel in case this process is killed first. */
const LIMITED = 'ulimit -t "$1" && shift && unset PWD OLDPWD SHLVL && exec "$@"';

/** Out of 19: serving has priority, and compilation still progresses. */
const NICENESS = 5;

/** Milliseconds between memory checks. */
const MEMORY_CHECK_INTERVAL = 100;

/**
 * Runs a script in a child process without environment or permissions, and kills it at its limits. A process rather
 * than a thread, because WebAssembly memory is not subject to thread limits.
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
  }, MEMORY_CHECK_INTERVAL);
  const parts: Buffer[] = [];
  let size = 0;
  child.stdout.on("data", (part: Buffer) => {
    size += part.length;
    if (size > limits.output) end("output");
    else parts.push(part);
  });
  // The child may have exited.
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
    // Already exited.
  }
}

/** 0 if the system does not report it. */
function residentBytes(pid: number | undefined): number {
  try {
    return Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) * 1024;
  } catch {
    return 0;
  }
}
