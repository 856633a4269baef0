import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";

export interface PeerProcess {
  readonly pid: number;
  /** Resolves with the match once the output has it. */
  matched(pattern: RegExp): Promise<RegExpExecArray>;
  failure(): string | undefined;
  stop(): Promise<void>;
}

interface Launch {
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}

/** Starts a program in a process group of its own, so that all of it ends with `stop`. */
export function startPeerProcess(command: string, { args, cwd, env }: Launch): PeerProcess {
  const child = spawn(command, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"], detached: true });
  let written = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk: Buffer) => {
      written = (written + chunk.toString()).slice(-20_000);
    });
  }
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
  const failure = () => (hasEnded() ? `it ended with ${child.exitCode ?? child.signalCode}: ${written}` : undefined);
  const signal = (name: NodeJS.Signals) => {
    try {
      process.kill(-child.pid!, name);
    } catch {
      // All of it has ended.
    }
  };
  const kill = () => signal("SIGKILL");
  process.once("exit", kill);
  return {
    pid: child.pid!,
    failure,
    matched: async (pattern) => {
      for (;;) {
        const found = pattern.exec(written);
        if (found !== null) return found;
        const failed = failure();
        if (failed !== undefined) throw new Error(failed);
        await delay(100);
      }
    },
    stop: async () => {
      if (!hasEnded()) {
        const exited = once(child, "exit");
        signal("SIGTERM");
        await Promise.race([exited, delay(10_000, undefined, { ref: false })]);
      }
      kill();
      process.off("exit", kill);
    },
  };
}
