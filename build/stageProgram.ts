import { chmodSync, copyFileSync, cpSync, mkdirSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { PROGRAM_ENVIRONMENT, PROGRAM_FLAGS } from "../bin/node.js";
import { PACKAGED } from "../src/demo/artifacts.ts";
import { readLock, runtimePackages } from "./runtimePackages.ts";

const FILES = ["package.json", "README.md", "CHANGELOG.md", "LICENSE"];

/** Declarations, maps, texts and tests of packages. Licences stay. */
const UNREAD = /(\.d\.[cm]?ts|\.map|\.tsbuildinfo|\.md|\.yml|\.lock)$/i;
const UNREAD_FOLDERS = new Set(["test", "tests", "docs", ".github", ".bin"]);

/** A folder with the built program, a Node and nothing that it does not read. */
export function stageProgram(folder: string, node: string): void {
  mkdirSync(join(folder, "bin"), { recursive: true });
  cpSync("dist", join(folder, "dist"), { recursive: true });
  cpSync("web", join(folder, "web"), { recursive: true });
  cpSync("docs", join(folder, "docs"), { recursive: true });
  for (const name of FILES) copyFileSync(name, join(folder, name));
  copyFileSync(join(node, "bin/node"), join(folder, "bin/node"));
  copyFileSync(join(node, "LICENSE"), join(folder, "bin/LICENSE"));
  for (const path of runtimePackages(readLock())) copyPackage(path, join(folder, path));
  const launcher = join(folder, "oriel");
  writeFileSync(launcher, launcherScript());
  for (const file of [launcher, join(folder, "bin/node")]) chmodSync(file, 0o755);
}

/** Contracts that packages have compiled, in megabytes of JSON, of which the demonstration reads few. */
const COMPILED = /\/(build|artifacts)\/.*\.json$/;
const READ = new Set(Object.values(PACKAGED).map((path) => `node_modules/${path}`));

function copyPackage(from: string, to: string): void {
  const isRead = (path: string) =>
    !UNREAD.test(path) && !UNREAD_FOLDERS.has(basename(path)) && (!COMPILED.test(path) || READ.has(path));
  const isOwn = (path: string) => path === from || basename(path) !== "node_modules";
  cpSync(from, to, { recursive: true, filter: (path) => isOwn(path) && isRead(path) });
}

/** Replaces itself by the program, so that a supervisor's signals reach it. A link to it may be anywhere. */
function launcherScript(): string {
  const exported = Object.entries({ ...PROGRAM_ENVIRONMENT, NODE_COMPILE_CACHE: "$here/.cache" });
  const lines = exported.map(([name, value]) => `export ${name}="\${${name}:-${value}}"`);
  return [
    "#!/bin/sh",
    'here=$(dirname -- "$(readlink -f -- "$0")")',
    ...lines,
    `exec "$here/bin/node" ${PROGRAM_FLAGS.join(" ")} "$here/dist/main.js" "$@"`,
    "",
  ].join("\n");
}
