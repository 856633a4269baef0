import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { finished } from "node:stream/promises";
import { run } from "node:test";
import { spec } from "node:test/reporters";
import { fileURLToPath, pathToFileURL } from "node:url";
import { buildProgram } from "../../build/buildProgram.js";

/** Processes at a time. Files that start programs wait most of their time, so that two cores have work for three. */
const CONCURRENCY = 3;

/** Milliseconds of a process, on a machine that is busy with something else too. */
const TIMEOUT = 600_000;

/**
 * Files that share a process, which saves each the seconds in which modules are loaded and compiled: bundles of this weight, a file
 * of the whole program weighs more than one of a module.
 */
const BUNDLE_WEIGHT = 60;
const WEIGHTS = { "src/": 1, "src/store/": 2, "test/": 3 };

/** A file that failed is run again without others beside it, since some tests measure delays. More failures are no matter of load. */
const MAX_RERUNS = 5;

/** Programs, threads, signals, memory, mocks and limits belong to the whole process, and delays of the event loop are measured of all of it. */
const NEEDS_A_PROCESS =
  /child_process|worker_threads|playwright|findAnvil|support\/(eventLoopDelay|faultyProxy|fileLimit|networks|nodeCluster|postgresServer|verification)|\b(collectWhenIdle|describeEveryEngine|mock|runProgram)\b|process\.(on|once|exit|memoryUsage)\b|delete process\.env|^(before|after)Each/m;

/** They wait most of their time, and the longest are among them. */
const STARTS_A_PROGRAM = /child_process|playwright|findAnvil|support\/(networks|verification)|\brunProgram\b/;

/** A large young generation: what a test makes is garbage when it ends, and need not be copied before. */
const NODE_FLAGS = ["--min-semi-space-size=16", "--max-semi-space-size=64"];

const root = fileURLToPath(new URL("../../", import.meta.url));
const preload = new URL("withoutAsyncHooks.ts", import.meta.url).href;
const shared = new URL("sharedProcess.ts", import.meta.url).href;

interface TestFile {
  readonly path: string;
  readonly code: string;
}

const needsProcess = ({ code }: TestFile) => NEEDS_A_PROCESS.test(code);

function weightOf({ path }: TestFile): number {
  const weights = Object.entries(WEIGHTS).filter(([folder]) => path.startsWith(join(root, folder)));
  return Math.max(...weights.map(([, weight]) => weight));
}

/** Neighbours of a folder, which use the same modules. */
function* bundles(files: readonly TestFile[]): Generator<TestFile[]> {
  let [bundle, weight]: [TestFile[], number] = [[], 0];
  for (const file of files) {
    bundle.push(file);
    weight += weightOf(file);
    if (weight < BUNDLE_WEIGHT) continue;
    yield bundle;
    [bundle, weight] = [[], 0];
  }
  if (bundle.length > 0) yield bundle;
}

/** Files that import those of a bundle. */
function writeBundles(files: readonly TestFile[], directory: string): string[] {
  return Array.from(bundles(files), (bundle, index) => {
    const path = join(directory, `bundle${index + 1}.test.mjs`);
    const imports = [shared, ...bundle.map((file) => pathToFileURL(file.path).href)];
    writeFileSync(path, imports.map((url) => `import ${JSON.stringify(url)};\n`).join(""));
    return path;
  });
}

await buildProgram(join(root, "dist"));
process.env.ORIEL_PROGRAM = join(root, "dist/main.js");

const directory = mkdtempSync(join(tmpdir(), "oriel-tests-"));
process.once("exit", () => rmSync(directory, { recursive: true, force: true }));

const patterns = process.argv.length > 2 ? process.argv.slice(2) : ["src/**/*.test.ts", "test/**/*.test.ts"];
const paths = globSync(patterns, { cwd: root, exclude: (name) => name === "node_modules" });
const files = paths.sort().map((path) => ({ path: join(root, path), code: readFileSync(join(root, path), "utf8") }));
const own = files.filter(needsProcess);
const ordered = [
  // The longest first, so that none is left alone at the end.
  ...own.filter(({ code }) => STARTS_A_PROGRAM.test(code)).map(({ path }) => path),
  ...writeBundles(
    files.filter((file) => !needsProcess(file)),
    directory,
  ),
  ...own.filter(({ code }) => !STARTS_A_PROGRAM.test(code)).map(({ path }) => path),
];

/** Milliseconds of the tests of each file. */
const durations = new Map<string, number>();

/** Runs the files, and returns those in which a test failed. */
async function runFiles(paths: readonly string[], concurrency: number): Promise<string[]> {
  const failed = new Set<string>();
  const tests = run({
    files: [...paths],
    concurrency,
    timeout: TIMEOUT,
    cwd: root,
    execArgv: [...NODE_FLAGS, "--import", preload],
  });
  tests.on("test:fail", ({ file, name, todo, skip }) => {
    if (!todo && !skip) failed.add(file ?? name);
  });
  tests.on("test:complete", ({ file, name, nesting, details }) => {
    // A file with a process of its own is a test too.
    const isTest = file !== undefined && nesting === 0 && !file.endsWith(name);
    if (isTest) durations.set(file, (durations.get(file) ?? 0) + details.duration_ms);
  });
  const report = tests.compose(spec);
  report.pipe(process.stdout, { end: false });
  await finished(report);
  return [...failed];
}

/** The files that took most, when `ORIEL_SLOWEST` says how many. */
function printSlowest(count: number): void {
  const slowest = [...durations]
    .filter(([file]) => !file.startsWith(directory))
    .sort(([, a], [, b]) => b - a)
    .slice(0, count);
  for (const [file, ms] of slowest) console.log(`${(ms / 1000).toFixed(1).padStart(7)} s  ${relative(root, file)}`);
}

const failed = await runFiles(ordered, CONCURRENCY);
if (failed.length > MAX_RERUNS) process.exitCode = 1;
else if (failed.length > 0) {
  const list = failed.map((path) => relative(root, path)).join(", ");
  console.log(`\nRunning again, one at a time: ${list}\n`);
  if ((await runFiles(failed, 1)).length > 0) process.exitCode = 1;
  else console.log(`\nFailed beside other files and passed alone: ${list}`);
}
printSlowest(Number(process.env.ORIEL_SLOWEST ?? 0));
