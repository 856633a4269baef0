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
  ["query"],
  ["gateway"],
  ["api"],
  ["demo"],
  ["main"],
];

/** Those who write the store and those who read it meet in nothing else. */
const STRANGERS = [
  ["query", "indexer"],
  ["api", "indexer"],
  ["gateway", "indexer"],
];

/** Interfaces beside each other: none knows another, and what they share knows none of them. */
const INTERFACES = ["rest", "rpc", "action", "exchange", "web"];

/** Joins the interfaces to one app. */
const JOINS = "api/app.ts";

const level = (folder: string) => LAYERS.findIndex((names) => names.includes(folder));

/** What stands at the top of src, and the commands, join the parts. */
function layerOf(file: string): string {
  const [folder, rest] = file.split("/");
  if (folder === "cli") return "main";
  return rest === undefined ? "main" : folder!;
}

const files = globSync("**/*.ts", { cwd: "src" }).filter((file) => !file.endsWith(".test.ts"));

/** Type imports included. */
const imports = new Map(files.map((file) => [file, importsOf(file)]));

function importsOf(file: string): string[] {
  const code = readFileSync(join("src", file), "utf8");
  const found = code.matchAll(
    /(?:from|import|import\()\s*["'](\.{1,2}\/[^"']+)["']|new URL\(["'](\.{1,2}\/[^"']+\.ts)["']/g,
  );
  return [...found].map((match) => normalize(join(dirname(file), (match[1] ?? match[2])!)));
}

function faultOf(file: string, target: string): string | undefined {
  const [from, to] = [layerOf(file), layerOf(target)];
  if (target.startsWith("..")) return `${file} leaves src: ${target}`;
  if (level(to) < 0) return `${file} imports ${target}, which is in no layer`;
  if (from !== to && level(to) >= level(from)) return `${file} imports ${target}, which is not below it`;
  const areStrangers = STRANGERS.some(([one, other]) => one === from && other === to);
  return areStrangers ? `${file} imports ${target}, which it may not know` : undefined;
}

function violations(fault: (file: string, target: string) => string | undefined): string[] {
  assert.ok(files.length > 10, "the test must see the sources");
  return [...imports].flatMap(([file, targets]) => targets.flatMap((target) => fault(file, target) ?? []));
}

test("imports point down: chain, then source and store, then indexer, then query, then api, then main", () => {
  assert.deepEqual(violations(faultOf), []);
});

/** What only the store may touch of its own objects: the database under a session, and that under a store. */
const STORE_MEMBERS = /\b(?:session|reads|latest)\.db\b|\bstore\.database\b|\{ db\b[^}]*\} = (?:session|reads)/;

test("nobody but the store reaches the database under it", () => {
  const outside = files.filter((file) => layerOf(file) !== "store");
  const reaching = outside.filter((file) => STORE_MEMBERS.test(readFileSync(join("src", file), "utf8")));

  assert.deepEqual(reaching, []);
  assert.ok(
    files.some((file) => STORE_MEMBERS.test(readFileSync(join("src", file), "utf8"))),
    "the test must see some",
  );
});

function interfaceOf(file: string): string | undefined {
  const [layer, folder] = file.split("/");
  return layer === "api" && INTERFACES.includes(folder!) ? folder : undefined;
}

test("an interface imports no other, and what they share imports none of them", () => {
  const fault = (file: string, target: string) => {
    const to = interfaceOf(target);
    const isKnown = to === undefined || interfaceOf(file) === to || layerOf(file) !== "api" || file === JOINS;
    return isKnown ? undefined : `${file} imports ${target}`;
  };

  assert.deepEqual(violations(fault), []);
});

/** What the API presents is asked of query: of what lies below, it knows the types alone. */
const BELOW_QUERY = ["store", "node", "source"];

function valuesOf(file: string): string[] {
  const code = readFileSync(join("src", file), "utf8");
  const found = code.matchAll(/^import (?!type\b)[^;]*?from "(\.[^"]+)";$/gm);
  return [...found].map((match) => normalize(join(dirname(file), match[1] ?? "")));
}

test("the API asks query, and neither the store nor a node", () => {
  const ofApi = files.filter((file) => layerOf(file) === "api");
  const asked = ofApi.flatMap((file) => valuesOf(file).map((target) => [file, target] as const));

  assert.ok(asked.length > 100, "the test must see the imports");
  assert.deepEqual(
    asked.filter(([, target]) => BELOW_QUERY.includes(layerOf(target))),
    [],
  );
});

/** The files that lead back to themselves, each circle as its files in order of their names (Tarjan's algorithm). */
function circles(): string[] {
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const open: string[] = [];
  const found: string[][] = [];
  const visit = (file: string) => {
    order.set(file, order.size);
    lowest.set(file, order.get(file)!);
    open.push(file);
    for (const target of imports.get(file) ?? []) {
      if (!order.has(target)) visit(target);
      if (open.includes(target)) lowest.set(file, Math.min(lowest.get(file)!, lowest.get(target)!));
    }
    if (lowest.get(file) === order.get(file)) found.push(open.splice(open.indexOf(file)));
  };
  for (const file of files) if (!order.has(file)) visit(file);
  return found.filter(({ length }) => length > 1).map((circle) => circle.sort().join(" "));
}

test("no file leads back to itself, by types either", () => {
  assert.deepEqual(circles(), []);
});
