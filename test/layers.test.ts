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

/** Writers and readers of the store share nothing else. */
const STRANGERS = [
  ["query", "indexer"],
  ["api", "indexer"],
  ["gateway", "indexer"],
];

/** Interfaces do not import each other, and shared code imports none of them. */
const INTERFACES = ["rest", "rpc", "action", "exchange", "adapter", "subgraph", "sourcify", "web"];

/** Joins the interfaces to one app. */
const JOINS = "api/app.ts";

const level = (folder: string) => LAYERS.findIndex((names) => names.includes(folder));

/** Files at the top of src, and the commands, join the parts. */
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

/**
 * The order inside a folder, from the ground up: its folders, and files that stand among them. Names on one line do not
 * know each other. Files that are not named stand on top.
 */
const ORDERS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  store: [
    ["rows"],
    ["engine"],
    ["keys"],
    ["schema", "dictionary"],
    ["tables"],
    ["read"],
    ["write", "contracts"],
    ["audit"],
    ["stages"],
  ],
  "store/stages": [["stage.ts"], ["tokens", "traces", "verifyBlock.ts"], ["exchange", "native"]],
  "store/stages/tokens": [["tables"], ["read", "audit"]],
  query: [
    ["node", "readInParts.ts", "activity.ts", "cacheScope.ts", "searchQuery.ts", "frontedList.ts", "itemMetadata.ts"],
    ["decode", "indexedRange.ts", "blockWindow.ts"],
    ["pages.ts", "stageRanges.ts", "memoPerVersion.ts"],
    ["timeline.ts", "timeSpan.ts", "totalsBetween.ts"],
    ["listWalk.ts", "exchange", "stats"],
    ["ranking", "names"],
    ["context.ts"],
    ["blocks", "logs"],
    ["tokens"],
    ["actions"],
    ["transactions", "pools", "accounts", "advanced"],
    ["traces", "contracts", "subgraph"],
  ],
  node: [
    ["genesis.ts", "caller.ts", "clock.ts", "chainFile.ts", "databaseError.ts", "accounts", "params"],
    ["rules.ts", "systemContracts.ts", "state"],
    ["evm", "precompiles", "developmentGenesis.ts"],
    ["machine"],
    ["block", "console", "predeploys"],
    ["blobs", "present.ts", "emptyBlocks.ts", "emptyHashes.ts", "genesisBlock.ts", "recentBlocks.ts"],
    ["database.ts", "reserveBlocks.ts"],
    ["rangeBlooms.ts", "loadBlocks.ts", "chainChanges.ts"],
    ["chain.ts"],
    ["blockIds.ts", "retryOnReorg.ts", "pool"],
    ["logs", "miner.ts", "snapshots.ts"],
    ["context.ts"],
    ["findBlock.ts"],
    ["call"],
    ["rpc"],
  ],
};

/** The folder or file directly inside a folder that contains a file; undefined outside of it. */
function partOf(folder: string, file: string): string | undefined {
  return file.startsWith(`${folder}/`) ? file.slice(folder.length + 1).split("/")[0] : undefined;
}

/** The number of levels for files on top; -1 for a folder that is not listed. */
function levelIn(folder: string, part: string): number {
  const order = ORDERS[folder] ?? [];
  const found = order.findIndex((parts) => parts.includes(part));
  return found < 0 && part.endsWith(".ts") ? order.length : found;
}

function faultInside(folder: string, file: string, target: string): string | undefined {
  const [from, to] = [partOf(folder, file), partOf(folder, target)];
  if (from === undefined || to === undefined || from === to) return undefined;
  const [above, below] = [levelIn(folder, from), levelIn(folder, to)];
  if (above < 0 || below < 0) return `${above < 0 ? from : to} has no place in ${folder}`;
  const areOnTop = above === below && above === ORDERS[folder]?.length;
  return below < above || areOnTop ? undefined : `${file} imports ${target}, which is not below it`;
}

test("inside a layer, folders point down as well", () => {
  const fault = (file: string, target: string) =>
    Object.keys(ORDERS).flatMap((folder) => faultInside(folder, file, target) ?? [])[0];

  assert.deepEqual(violations(fault), []);
});

test("an import that points up or across inside a layer is found, and so is a folder without a place", () => {
  const store = (file: string, target: string) => faultInside("store", `store/${file}`, `store/${target}`);

  assert.match(store("rows/a.ts", "read/b.ts") ?? "", /not below/);
  assert.match(store("schema/a.ts", "dictionary/b.ts") ?? "", /not below/);
  assert.match(store("stages/tokens/a.ts", "session.ts") ?? "", /not below/);
  assert.match(store("unheard/a.ts", "rows/b.ts") ?? "", /has no place/);
  assert.equal(store("session.ts", "store.ts") ?? store("write/a.ts", "read/b.ts"), undefined);
});

test("whatever has a place inside a layer is there", () => {
  const places = Object.entries(ORDERS).flatMap(([folder, order]) => order.flat().map((part) => `${folder}/${part}`));

  assert.deepEqual(
    places.filter((place) => !files.some((file) => file === place || file.startsWith(`${place}/`))),
    [],
  );
});

/** Members that only the store may use: the database under a session and under a store. */
const STORE_MEMBERS = /\b(?:session|reads|latest)\.db\b|\bstore\.database\b|\{ db\b[^}]*\} = (?:session|reads)/;

test("only the store reaches the database under it", () => {
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

/** Interfaces ask query; of the layers below they import types only. */
const BELOW_QUERY = ["store", "node", "source", "verify", "exchange"];

/** Pure functions and constants for presenters and parsers. */
const PURE = [
  "exchange/decimal.ts",
  "exchange/prices.ts",
  "verify/compilerVersion.ts",
  "verify/licenses.ts",
  "verify/records/metadata.ts",
  "verify/records/recordedSource.ts",
  "verify/standardInput.ts",
  "verify/submission.ts",
];

function valuesOf(file: string): string[] {
  const code = readFileSync(join("src", file), "utf8");
  const found = code.matchAll(/^import (?!type\b)[^;]*?from "(\.[^"]+)";$/gm);
  return [...found].map((match) => normalize(join(dirname(file), match[1] ?? "")));
}

test("the API asks query, and of what lies below it uses pure functions alone", () => {
  const ofApi = files.filter((file) => layerOf(file) === "api");
  const asked = ofApi.flatMap((file) => valuesOf(file).map((target) => [file, target] as const));

  assert.ok(asked.length > 100, "the test must see the imports");
  assert.deepEqual(
    asked.filter(([file, target]) => BELOW_QUERY.includes(layerOf(target)) && !PURE.includes(target) && file !== JOINS),
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

/** Tables: of settings, and of signatures, which is generated. */
const LONG_TABLES = ["config.ts", "chain/abi/knownSignatures.ts"];

test("no file of src exceeds 400 lines, tables aside, and one in fifteen at most exceeds 200", () => {
  const lengths = files
    .filter((file) => !LONG_TABLES.includes(file))
    .map((file) => [file, readFileSync(join("src", file), "utf8").split("\n").length - 1] as const);
  const longer = (lines: number) => lengths.filter(([, length]) => length > lines);

  assert.deepEqual(longer(400), []);
  assert.ok(longer(200).length <= files.length / 15, `${longer(200).length} of ${files.length} files exceed 200 lines`);
});

/** What a file imports when it is loaded: neither types nor what is imported on demand. */
function loadedBy(file: string): string[] {
  const code = readFileSync(join("src", file), "utf8");
  const found = code.matchAll(/^(?:import|export) (?!type\b)(?:[^"';]*? from )?"([^"]+)";/gms);
  return [...found].map(([, name]) => (name!.startsWith(".") ? normalize(join(dirname(file), name!)) : name!));
}

/** Files and packages that are loaded with a file. */
function loadedWith(file: string, loaded = new Set<string>()): Set<string> {
  for (const name of loadedBy(file)) {
    if (loaded.has(name)) continue;
    loaded.add(name);
    if (name.endsWith(".ts")) loadedWith(name, loaded);
  }
  return loaded;
}

test("the main thread of a start loads neither the EVM nor what only types need", () => {
  const loaded = [...loadedWith("cli/start.ts")];
  const embedded = [...loadedWith("cli/nodeWorker.ts")];

  assert.ok(loaded.includes("api/app.ts") && loaded.includes("fastify"));
  assert.ok(
    embedded.some((name) => name.startsWith("@ethereumjs/")),
    "the test must see packages",
  );
  assert.deepEqual(
    loaded.filter((name) => /^(@ethereumjs\/|typebox)/.test(name)),
    [],
  );
});

test("the client is a package of its own: its sources import nothing but each other", () => {
  const sources = globSync("client/src/**/*.ts");
  const imported = sources.flatMap((file) => {
    const code = readFileSync(file, "utf8");
    return [...code.matchAll(/\bfrom "([^"]+)"/g)].map(([, name]) => [file, name!] as const);
  });

  assert.ok(imported.length > 10, "the test must see the imports");
  assert.deepEqual(
    imported.filter(
      ([file, name]) => !name.startsWith(".") || !normalize(join(dirname(file), name)).startsWith("client/src/"),
    ),
    [],
  );
});
