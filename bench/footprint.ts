import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, lstatSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { PROGRAM_ENVIRONMENT, PROGRAM_FLAGS } from "../bin/node.js";
import { findProgram } from "../bin/program.js";
import { printBars, printTable, writeResult } from "./support/measure.ts";
import { cpuOf } from "./support/program.ts";

const ROOT = fileURLToPath(new URL("../", import.meta.url));
/** CPU until the first page relative to a process that serves one with fastify alone. */
const MAX_START_RATIO = 12;
const MAX_PACKAGES_MB = 375;
const STARTS = 3;

const BARE_SERVER = `import("fastify").then(async ({ fastify }) => {
  const app = fastify();
  app.get("/", (_, reply) => reply.type("text/html").send("<!doctype html>"));
  console.log("serving " + (await app.listen({ port: 0, host: "127.0.0.1" })));
});`;

interface Start {
  readonly cpuMs: number;
  readonly wallMs: number;
}

/** `npm run bench -- footprint`: what a start costs until the first page, and what is installed for it. */
export async function run(): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), "oriel-bench-"));
  const program = [findProgram(ROOT), "start", "--data", directory, "--port", "0"];
  const first = await measureStart(program, 2);
  const restarts: Start[] = [];
  const bare: Start[] = [];
  for (let turn = 0; turn < STARTS; turn++) {
    restarts.push(await measureStart(program, 2));
    bare.push(await measureStart(["-e", BARE_SERVER], 1));
  }
  rmSync(directory, { recursive: true });
  const [restart, bound] = [fastest(restarts), fastest(bare)];
  const packages = productionBytes() / 1e6;
  printTable("Until the first page of both networks, seconds, with those of CPU", [
    ["first start, which then makes the history of the demonstration", shown(first)],
    ["a later start, the fastest of three", shown(restart)],
    ["fastify alone, likewise", shown(bound)],
  ]);
  printBars([
    { what: "CPU of a later start, of fastify alone", value: restart.cpuMs / bound.cpuMs, atMost: MAX_START_RATIO },
    { what: "packages of npm ci --omit=dev, MB", value: packages, atMost: MAX_PACKAGES_MB },
  ]);
  writeResult("footprint", { first, restart, bound, packages });
}

const fastest = (starts: readonly Start[]) => starts.reduce((best, each) => (each.cpuMs < best.cpuMs ? each : best));

const shown = ({ wallMs, cpuMs }: Start) => `${(wallMs / 1000).toFixed(2)}, ${(cpuMs / 1000).toFixed(2)}`;

/** Starts a program, reads the first page of each network, and stops it. */
async function measureStart(args: readonly string[], networks: number): Promise<Start> {
  const begin = performance.now();
  const env = { ...process.env, ...PROGRAM_ENVIRONMENT };
  const child = spawn(process.execPath, [...PROGRAM_FLAGS, ...args], {
    cwd: ROOT,
    env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  try {
    let text = "";
    child.stdout.on("data", (chunk: Buffer) => {
      text += chunk.toString();
    });
    const urls = () => [...new Set(text.match(/http:\/\/127\.0\.0\.1:\d+/g) ?? [])];
    while (urls().length < networks) await delay(10);
    for (const url of urls().slice(0, networks)) await readPage(url);
    return { cpuMs: cpuOf(child.pid!), wallMs: performance.now() - begin };
  } finally {
    child.kill("SIGTERM");
    await once(child, "exit");
  }
}

async function readPage(url: string): Promise<void> {
  const response = await fetch(url, { headers: { accept: "text/html" } });
  const text = await response.text();
  if (!response.ok || !text.toLowerCase().startsWith("<!doctype html>")) throw new Error(`${url}: ${response.status}`);
}

interface LockedPackage {
  readonly dev?: boolean;
}

/** Of the packages that are installed here and not for development alone. */
function productionBytes(): number {
  const lock = JSON.parse(readFileSync(join(ROOT, "package-lock.json"), "utf8")) as {
    readonly packages: Readonly<Record<string, LockedPackage>>;
  };
  const folders = Object.entries(lock.packages).filter(([path, { dev }]) => path.startsWith("node_modules/") && !dev);
  const installed = folders.map(([path]) => join(ROOT, path)).filter((path) => existsSync(path));
  return installed.reduce((sum, path) => sum + bytesIn(path), 0);
}

/** Packages inside a package are counted for themselves. */
function bytesIn(folder: string): number {
  let sum = 0;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.name === "node_modules") continue;
    const path = join(folder, entry.name);
    sum += entry.isDirectory() ? bytesIn(path) : lstatSync(path).size;
  }
  return sum;
}
