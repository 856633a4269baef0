import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { run } from "node:test";
import { spec } from "node:test/reporters";
import { fileURLToPath, pathToFileURL } from "node:url";

/** Processes at a time. Files that start programs wait most of their time, so that two cores have work for three. */
const CONCURRENCY = 3;

/** Milliseconds of a test. */
const TIMEOUT = 280_000;

/** Pure files that share a process, which saves each the half second in which modules are loaded. */
const BUNDLE_SIZE = 25;

/** Hooks, mocks, timers, processes and sockets belong to the whole process, and CPU is measured of all of it. Waits for a node do not keep a process alive. */
const NEEDS_A_PROCESS =
  /^(before|after)|\.mock\b|worker_threads|child_process|process\.|support\/(program|eventLoopDelay)|openPool|new Upstream|setTimeout|performance|node:http|fastify/m;

const STARTS_A_PROGRAM = /support\/program|playwright|findAnvil/;

const root = fileURLToPath(new URL("../../", import.meta.url));
const preload = new URL("withoutAsyncHooks.ts", import.meta.url).href;

interface TestFile {
  readonly path: string;
  readonly code: string;
}

function isPure({ path, code }: TestFile): boolean {
  return path.startsWith(join(root, "src")) && !NEEDS_A_PROCESS.test(code);
}

/** Files that import pure ones. */
function bundle(files: readonly TestFile[], directory: string): string[] {
  const count = Math.ceil(files.length / BUNDLE_SIZE);
  return Array.from({ length: count }, (_, at) => {
    const path = join(directory, `pure${at + 1}.test.mjs`);
    const some = files.filter((_file, index) => index % count === at);
    writeFileSync(path, some.map((file) => `import ${JSON.stringify(pathToFileURL(file.path).href)};\n`).join(""));
    return path;
  });
}

const directory = mkdtempSync(join(tmpdir(), "oriel-tests-"));
process.once("exit", () => rmSync(directory, { recursive: true, force: true }));

const patterns = process.argv.length > 2 ? process.argv.slice(2) : ["src/**/*.test.ts", "test/**/*.test.ts"];
const paths = globSync(patterns, { cwd: root, exclude: (name) => name === "node_modules" });
const files = paths.sort().map((path) => ({ path: join(root, path), code: readFileSync(join(root, path), "utf8") }));
const own = files.filter((file) => !isPure(file));
const ordered = [
  // The longest first, so that none is left alone at the end.
  ...own.filter(({ code }) => STARTS_A_PROGRAM.test(code)).map(({ path }) => path),
  ...bundle(files.filter(isPure), directory),
  ...own.filter(({ code }) => !STARTS_A_PROGRAM.test(code)).map(({ path }) => path),
];

const tests = run({
  files: ordered,
  concurrency: CONCURRENCY,
  timeout: TIMEOUT,
  cwd: root,
  execArgv: ["--import", preload],
});
tests.on("test:fail", ({ todo, skip }) => {
  if (!todo && !skip) process.exitCode = 1;
});
tests.compose(spec).pipe(process.stdout);
