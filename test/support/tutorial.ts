import assert from "node:assert/strict";
import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { TestContext } from "node:test";
import { LAUNCHER, temporaryDirectory } from "./program.ts";
import { until } from "./waiting.ts";

const ROOT = join(import.meta.dirname, "../..");
const requires = ["package.json", "test/nodes/package.json"].map((file) => createRequire(join(ROOT, file)));

/** A block of a tutorial: commands, or what the commands before it print. */
interface Listing {
  readonly language: string;
  readonly text: string;
}

export interface TutorialOptions {
  /** Texts of the tutorial, such as ports, and what stands for them here. */
  readonly replace?: Readonly<Record<string, string>>;
  /** Commands that are shown and not run: their programs are no packages of npm, or they change the system. */
  readonly shown?: RegExp;
  /** Called before the commands that contain a text. */
  readonly before?: Readonly<Record<string, (stopServers: () => Promise<void>) => Promise<void>>>;
}

/** Programs that go on, in another terminal. */
const SERVER = /^npx (oriel (start|serve|index)|hardhat node)\b/;

/**
 * Runs all commands of a tutorial in order, in an empty folder, and compares what they print with what it shows. Packages
 * are those that are installed here.
 */
export async function runTutorial(t: TestContext, name: string, options: TutorialOptions = {}): Promise<number> {
  const folder = temporaryDirectory(t);
  const tutorial: Tutorial = { folder, env: environmentOf(folder), stops: [] };
  const stopServers = async () => void (await Promise.all(tutorial.stops.splice(0).map((stop) => stop())));
  t.after(stopServers);
  let [ran, printed] = [0, async () => ""];
  for (const { language, text } of listingsOf(name, options.replace ?? {})) {
    if (["json", "text"].includes(language)) {
      await expectPrinted(printed, language, text);
      continue;
    }
    if (language !== "sh" || options.shown?.test(text)) continue;
    for (const [part, prepare] of Object.entries(options.before ?? {}))
      if (text.includes(part)) await prepare(stopServers);
    if (SERVER.test(text)) printed = await startServer(tutorial, text);
    else {
      const first = await run(tutorial, text);
      printed = async () => first;
      // What is read may come a moment later.
      if (/^(curl|npx oriel status)\b/.test(text)) printed = () => run(tutorial, text);
    }
    ran++;
  }
  return ran;
}

function listingsOf(name: string, replace: Readonly<Record<string, string>>): Listing[] {
  let document = readFileSync(join(ROOT, "docs/tutorials", `${name}.md`), "utf8");
  for (const [text, own] of Object.entries(replace)) {
    assert.ok(document.includes(text), `the tutorial has ${text}`);
    document = document.replaceAll(text, own);
  }
  const fences = document.matchAll(/^```(\w*)\n([\s\S]*?)^```/gm);
  return [...fences].map(([, language, text]) => ({ language: language!, text: text!.trim() }));
}

/** `npx` runs what is installed in the folder, and `npm` links what is installed here. */
function environmentOf(folder: string): NodeJS.ProcessEnv {
  const shims = join(folder, ".shims");
  mkdirSync(shims);
  const script = (name: string, text: string) => {
    writeFileSync(join(shims, name), `#!/bin/sh\n${text}\n`);
    chmodSync(join(shims, name), 0o755);
  };
  script("oriel", `exec "${process.execPath}" "${LAUNCHER}" "$@"`);
  script("hardhat", `exec "${process.execPath}" "${join(packageFolder("hardhat"), "dist/src/cli.js")}" "$@"`);
  script("npx", 'exec "$@"');
  const inherited = Object.entries(process.env).filter(([name]) => !/^(ORIEL_|NODE_)/.test(name));
  const own = { CI: "true", HARDHAT_DISABLE_TELEMETRY_PROMPT: "true", PATH: `${shims}:${process.env.PATH}` };
  return { ...Object.fromEntries(inherited), ...own };
}

function packageFolder(name: string): string {
  for (const require of requires) {
    for (const path of require.resolve.paths(name) ?? []) {
      if (existsSync(join(path, name, "package.json"))) return join(path, name);
    }
  }
  if (name === "oriel") return ROOT;
  throw new Error(`${name} is not installed here`);
}

interface Tutorial {
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
  readonly stops: (() => Promise<unknown>)[];
}

async function run(tutorial: Tutorial, text: string): Promise<string> {
  const lines = text.split("\n");
  for (const line of lines) install(tutorial.folder, line);
  const script = lines.filter((line) => !line.startsWith("npm install")).join("\n");
  const child = start(tutorial, `set -e\n${script}`);
  const output = collect(child);
  const [code] = await once(child, "close");
  assert.equal(code, 0, `${text}\n${output()}`);
  return output();
}

function install(folder: string, line: string): void {
  if (!line.startsWith("npm install ")) return;
  for (const word of line.split(" ").slice(2)) {
    if (word.startsWith("-")) continue;
    const name = word.replace(/(?<=.)@[\d.]+$/, "");
    const link = join(folder, "node_modules", name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(packageFolder(name), link);
  }
}

function start({ folder, env }: Tutorial, script: string): ChildProcess {
  return spawn("bash", ["-c", script], { cwd: folder, env, stdio: ["ignore", "pipe", "pipe"] });
}

function collect(child: ChildProcess): () => string {
  let output = "";
  for (const stream of [child.stdout!, child.stderr!]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  }
  return () => output;
}

/** Started programs write that they serve. */
const SERVES = /serving http|To begin again|Started HTTP|status at http|writes/;

async function startServer(tutorial: Tutorial, text: string): Promise<() => Promise<string>> {
  const child = start(tutorial, `exec ${text}`);
  const output = collect(child);
  const ended = once(child, "close");
  tutorial.stops.push(() => {
    child.kill("SIGTERM");
    return ended;
  });
  await until(`${text} serves`, () => {
    if (child.exitCode !== null) throw new Error(`it ended: ${output()}`);
    return SERVES.test(output());
  });
  return async () => output();
}

async function expectPrinted(printed: () => Promise<string>, language: string, shown: string): Promise<void> {
  let last = "";
  const isShown = async () => {
    last = await printed();
    return language === "json" ? contains(parse(last), JSON.parse(shown)) : hasLines(last, shown);
  };
  await until(`it prints ${shown}`, isShown, 60).catch((error: unknown) => {
    throw new Error(`it printed ${last}`, { cause: error });
  });
}

function parse(text: string): unknown {
  const start = text.indexOf("{");
  try {
    return JSON.parse(text.slice(start, text.lastIndexOf("}") + 1));
  } catch {
    return undefined;
  }
}

/** Of records the shown fields, of lists the shown items at the beginning; of a text that ends in … what is before. */
function contains(found: unknown, shown: unknown): boolean {
  if (typeof shown === "string" && shown.endsWith("…")) return String(found).startsWith(shown.slice(0, -1));
  if (typeof shown !== "object" || shown === null) return found === shown;
  if (typeof found !== "object" || found === null) return false;
  return Object.entries(shown).every(([key, value]) => contains((found as Record<string, unknown>)[key], value));
}

/** Lines are there, up to their dots. */
function hasLines(found: string, shown: string): boolean {
  return shown.split("\n").every((line) => found.includes(line.split("…")[0]!.trimEnd()));
}
