import { existsSync } from "node:fs";
import { cpus } from "node:os";
import { parseArgs } from "node:util";
import { Worker } from "node:worker_threads";
import { findFiles } from "./cases.ts";
import type { Report, Started, Task } from "./worker.ts";

/**
 * `npm run statetests [-- --fork NAME --limit SECONDS --workers N] [WORD...]`: runs the state tests in the folder
 * `ORIEL_STATE_TESTS`, such as GeneralStateTests of ethereum/tests, in files whose path contains a word. Exits with 1
 * unless all pass.
 */
const { values, positionals } = parseArgs({
  options: {
    fork: { type: "string", multiple: true, default: [] },
    limit: { type: "string", default: "60" },
    workers: { type: "string", default: String(Math.max(1, cpus().length - 1)) },
  },
  allowPositionals: true,
});

interface Score {
  passed: number;
  all: number;
}

const SLOWEST = 10;

const limit = 1000 * Number(values.limit);
const scores = new Map<string, Score>();
const unknown = new Map<string, number>();
const slowest: { readonly name: string; readonly milliseconds: number }[] = [];
let late = 0;

const folder = process.env.ORIEL_STATE_TESTS;
if (folder === undefined || !existsSync(folder)) {
  console.log("ORIEL_STATE_TESTS names no folder with state tests: skipped");
} else {
  const tasks = findFiles(folder, positionals).map((path): Task => ({ path, from: 0 }));
  await Promise.all(Array.from({ length: Number(values.workers) }, () => runTasks(folder, tasks)));
  process.exitCode = report() ? 0 : 1;
}

async function runTasks(within: string, tasks: Task[]): Promise<void> {
  const open = () =>
    new Worker(new URL("worker.ts", import.meta.url), { workerData: { folder: within, forks: values.fork } });
  let worker = open();
  for (let task = tasks.shift(); task !== undefined; task = tasks.shift()) {
    const rest = await runTask(worker, task);
    if (rest === undefined) continue;
    await worker.terminate();
    worker = open();
    tasks.unshift(rest);
  }
  await worker.terminate();
}

/** Returns what is left of the task if a case took too long. */
function runTask(worker: Worker, task: Task): Promise<Task | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<Task | undefined>();
  let timer: NodeJS.Timeout | undefined;
  const end = (rest?: Task) => {
    clearTimeout(timer);
    worker.off("message", listen).off("error", reject);
    resolve(rest);
  };
  const begin = ({ name, fork, index }: Started) => {
    timer = setTimeout(() => {
      late++;
      count(name, fork, `took over ${limit / 1000} s`, limit);
      end({ path: task.path, from: index + 1 });
    }, limit);
  };
  const listen = (message: Report) => {
    if (message.kind === "done") return end();
    if (message.kind === "started") return begin(message);
    if (message.kind === "unknown fork") return unknown.set(message.fork, (unknown.get(message.fork) ?? 0) + 1);
    clearTimeout(timer);
    count(message.name, message.fork, message.failure, message.milliseconds);
  };
  worker.on("error", reject).on("message", listen);
  worker.postMessage(task);
  return promise;
}

function count(name: string, fork: string, failure: string | undefined, milliseconds: number): void {
  const score = scores.get(fork) ?? { passed: 0, all: 0 };
  scores.set(fork, score);
  score.all++;
  if (failure === undefined) score.passed++;
  else console.log(`${name}: ${failure}`);
  slowest.push({ name, milliseconds });
  slowest.sort((one, other) => other.milliseconds - one.milliseconds).splice(SLOWEST);
}

/** Prints the scores; returns whether there were any cases, and all passed. */
function report(): boolean {
  const sum = (pick: (score: Score) => number) => [...scores.values()].reduce((total, each) => total + pick(each), 0);
  for (const { name, milliseconds } of slowest)
    console.log(`${(milliseconds / 1000).toFixed(1).padStart(6)} s  ${name}`);
  for (const [fork, { passed, all }] of scores) console.log(`${fork.padEnd(20)} ${passed}/${all}`);
  for (const [fork, cases] of unknown) console.log(`${fork.padEnd(20)} unknown fork, ${cases} not run`);
  const [passed, all] = [sum((score) => score.passed), sum((score) => score.all)];
  console.log(`${"all".padEnd(20)} ${passed}/${all}${late > 0 ? `, ${late} took too long` : ""}`);
  return all > 0 && passed === all;
}
