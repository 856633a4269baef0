import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { build, stop } from "esbuild";

/** The program, its threads and its processes, which are started by their file names. */
export const ENTRIES = [
  "src/main.ts",
  "src/cli/indexerWorker.ts",
  "src/cli/nodeWorker.ts",
  "src/node/blobs/kzgWorker.ts",
  "src/node/precompiles/precompileWorker.ts",
  "src/api/web/stripTypesWorker.ts",
  "src/query/decode/recoveryWorker.ts",
  "src/source/backfill/backfillWorker.ts",
  "src/store/engine/checkpointWorker.ts",
  "src/verify/verifyProcess.ts",
];

/** Packages that read files of their own, and those that are optional. */
const EXTERNAL = ["evmole", "pg-native", "solc", "tiny-secp256k1"];

/** Node's `require`, for packages that are CommonJS. */
const BANNER =
  'import { createRequire as __createRequire } from "node:module"; const require = __createRequire(import.meta.url);';

/** Joins the sources and the packages that they use to a few files, which load several times as fast as two thousand. */
export async function buildProgram(directory) {
  const root = fileURLToPath(new URL("../", import.meta.url));
  const options = {
    absWorkingDir: root,
    entryPoints: ENTRIES,
    outdir: directory,
    entryNames: "[name]",
    chunkNames: "chunk-[hash]",
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node24",
    keepNames: true,
    // V8 keeps the text of every source in each thread, with two bytes for each character if any is not Latin-1: no comments, no
    // indentation, and templates, which cannot be escaped, as calls.
    minifyWhitespace: true,
    lineLimit: 160,
    supported: { "template-literal": false },
    legalComments: "linked",
    external: EXTERNAL,
    banner: { js: BANNER },
    logLevel: "warning",
    write: false,
  };
  const { outputFiles } = await build(options).finally(stop);
  replaceFiles(resolve(root, directory), outputFiles);
}

/** Programs that run from there keep the files that have not changed. The main file is last: it dates the build. */
function replaceFiles(directory, files) {
  const main = join(directory, "main.js");
  const isMain = ({ path }) => path === main;
  mkdirSync(directory, { recursive: true });
  for (const { path, contents } of files.filter((file) => !isMain(file))) {
    if (!existsSync(path) || !readFileSync(path).equals(contents)) writeFileSync(path, contents);
  }
  writeFileSync(main, files.find(isMain).contents);
  const names = new Set(files.map(({ path }) => basename(path)));
  for (const name of readdirSync(directory)) if (!names.has(name)) rmSync(join(directory, name), { recursive: true });
}
