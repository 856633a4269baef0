import { parentPort, workerData } from "node:worker_threads";
import { readCases } from "./cases.ts";
import { rulesOf } from "./forks.ts";
import { run } from "./run.ts";

export interface Task {
  readonly path: string;
  /** Cases to skip, which ran before. */
  readonly from: number;
}

export interface Started {
  readonly kind: "started";
  readonly name: string;
  readonly fork: string;
  readonly index: number;
}

interface Ended {
  readonly kind: "ended";
  readonly name: string;
  readonly fork: string;
  readonly failure: string | undefined;
  readonly milliseconds: number;
}

export type Report =
  | Started
  | Ended
  | { readonly kind: "unknown fork"; readonly fork: string }
  | { readonly kind: "done" };

const { folder, forks } = workerData as { readonly folder: string; readonly forks: readonly string[] };

async function runFile({ path, from }: Task): Promise<void> {
  const report = (each: Report) => parentPort?.postMessage(each);
  for (const [index, one] of readCases(folder, path).entries()) {
    if (index < from || (forks.length > 0 && !forks.includes(one.fork))) continue;
    const rules = rulesOf(one.fork);
    if (rules === undefined) {
      report({ kind: "unknown fork", fork: one.fork });
      continue;
    }
    const { name, fork } = one;
    report({ kind: "started", name, fork, index });
    const start = performance.now();
    const failure = await run(one, rules);
    report({ kind: "ended", name, fork, failure, milliseconds: performance.now() - start });
  }
  report({ kind: "done" });
}

parentPort?.on("message", (task: Task) => void runFile(task));
