import { execFileSync } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { dirname, join, normalize } from "node:path";

/**
 * Runs the instructions of deploy/Dockerfile without Docker, as root: each stage in a copy of a root that debootstrap
 * made, whose folder is given by the name of the stage's image.
 *
 *   node deploy/test/runDockerfile.ts OUT amd64 node:24-trixie-slim=ROOT debian:trixie-slim=ROOT
 */
const [out, architecture, ...images] = process.argv.slice(2);
if (out === undefined || architecture === undefined)
  throw new Error("usage: runDockerfile.ts OUT ARCHITECTURE IMAGE=ROOT…");

const roots = new Map(images.map((image) => image.split("=") as [string, string]));
const lines = readFileSync("deploy/Dockerfile", "utf8")
  .split("\n")
  .filter((line) => !line.startsWith("#"));
const instructions = lines
  .join("\n")
  .replaceAll("\\\n", " ")
  .split("\n")
  .filter((line) => line.trim() !== "");

/** What .dockerignore lets through. */
const context = readFileSync(".dockerignore", "utf8")
  .split("\n")
  .flatMap((line) => (line.startsWith("!") ? [line.slice(1)] : []));

let stage = "";
let folder = "/";

const inStage = (path: string) => join(out, stage, normalize(join(folder, path)));

function run(command: string): void {
  const variables = ["PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", "HOME=/root", `TARGETARCH=${architecture}`];
  const inside = ["env", "-i", ...variables, "sh", "-ec", `cd "$0" && ${command}`, folder];
  execFileSync("chroot", [join(out!, stage), ...inside], { stdio: "inherit" });
}

function copy(words: string[]): void {
  const [flag] = words;
  const from = flag?.startsWith("--from=") ? join(out!, flag.slice("--from=".length)) : undefined;
  const [target, ...sources] = words.filter((word) => !word.startsWith("--")).reverse();
  const to = inStage(target!);
  mkdirSync(to, { recursive: true });
  if (from !== undefined) {
    // The contents of folders, with their owners, as Docker copies them.
    for (const source of sources) execFileSync("cp", ["-a", `${join(from, source)}/.`, to]);
    return;
  }
  const wanted = sources.includes(".") ? context : sources;
  for (const source of wanted) {
    if (!context.includes(source)) throw new Error(`.dockerignore leaves out ${source}`);
    const place = sources.includes(".") ? join(to, source) : join(to, source.split("/").at(-1)!);
    mkdirSync(dirname(place), { recursive: true });
    cpSync(source, place, { recursive: true, filter: (path) => !/node_modules|\.test\.ts$/.test(path) });
  }
}

for (const line of instructions) {
  const [instruction = "", ...words] = line.trim().split(/\s+/);
  const rest = line.trim().slice(instruction.length).trim();
  console.log(`${stage}: ${line.slice(0, 100)}`);
  if (instruction === "FROM") {
    const named = words.filter((word) => !word.startsWith("--"));
    stage = named[2] ?? "image";
    folder = "/";
    rmSync(join(out, stage), { recursive: true, force: true });
    execFileSync("cp", ["-a", roots.get(named[0]!)!, join(out, stage)]);
    chmodSync(join(out, stage), statSync(out).mode);
  } else if (instruction === "RUN") run(rest);
  else if (instruction === "COPY") copy(words);
  else if (instruction === "WORKDIR") {
    folder = rest;
    mkdirSync(inStage("."), { recursive: true });
  }
}
