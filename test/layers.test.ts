import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { test } from "node:test";

/** From the ground up. A layer may import the ones below it, never itself's neighbours nor anything above. */
const LAYERS = [
  ["std"],
  ["chain"],
  ["jsonrpc"],
  ["node", "source", "store"],
  ["indexer", "exchange", "verify"],
  ["api"],
  ["demo"],
  ["main"],
];

const level = (folder: string) => LAYERS.findIndex((names) => names.includes(folder));

/** What stands at the top of src, and the commands, join the parts. */
function layerOf(file: string): string {
  const [folder, rest] = file.split("/");
  if (folder === "cli") return "main";
  return rest === undefined ? "main" : folder!;
}

function importsOf(file: string): string[] {
  const code = readFileSync(join("src", file), "utf8");
  const found = code.matchAll(
    /(?:from|import|import\()\s*["'](\.{1,2}\/[^"']+)["']|new URL\(["'](\.{1,2}\/[^"']+\.ts)["']/g,
  );
  return [...found].map((match) => normalize(join(dirname(file), (match[1] ?? match[2])!)));
}

function violations(): string[] {
  const files = globSync("**/*.ts", { cwd: "src" }).filter((file) => !file.endsWith(".test.ts"));
  assert.ok(files.length > 10, "the test must see the sources");
  return files.flatMap((file) =>
    importsOf(file).flatMap((target) => {
      const [from, to] = [layerOf(file), layerOf(target)];
      if (target.startsWith("..")) return [`${file} leaves src: ${target}`];
      if (level(to) < 0) return [`${file} imports ${target}, which is in no layer`];
      return from === to || level(to) < level(from) ? [] : [`${file} imports ${target}, which is not below it`];
    }),
  );
}

test("imports point down: std, then chain, then jsonrpc, then source and store, then indexer, then api, then main", () => {
  assert.deepEqual(violations(), []);
});
