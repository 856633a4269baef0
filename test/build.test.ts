import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { before, describe, test } from "node:test";
import { findProgram } from "../bin/program.js";
import { archiveProgram, PLATFORMS } from "../build/archiveProgram.ts";
import { buildProgram, ENTRIES } from "../build/buildProgram.js";
import { packProgram } from "../build/packProgram.js";
import { toHex } from "../src/chain/encoding/hex.ts";
import { versionedHash } from "../src/chain/hashing/versionedHash.ts";
import { LINE } from "./support/blobs.ts";
import { urlsOf } from "./support/networks.ts";
import type { Program } from "./support/program.ts";
import { get, runProgram, temporaryDirectory } from "./support/program.ts";

const { version } = JSON.parse(readFileSync("package.json", "utf8")) as { version: string };

test("the build has every thread and process that the sources start", () => {
  const sources = globSync("src/**/*.ts").filter((file) => !file.endsWith(".test.ts"));
  const code = sources.map((file) => readFileSync(file, "utf8")).join("\n");
  const workers = [...code.matchAll(/"\.\/(\w+)\.js"/g)].map(([, name]) => name!);
  const scripts = [...code.matchAll(/`\.\/(\w+)\$\{extension\(\)\}`/g)].map(([, name]) => name!);
  const entries = ENTRIES.map((file) => basename(file, ".ts"));

  assert.ok(workers.length > 5 && scripts.length > 0, `${workers} ${scripts}`);
  assert.deepEqual(entries.sort(), ["main", ...new Set([...workers, ...scripts])].sort());
});

test("the build is run unless a source or a package is newer", (t) => {
  const root = temporaryDirectory(t);
  const write = (name: string, time: number) => {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), "");
    utimesSync(join(root, name), time, time);
  };
  const found = () => relative(root, findProgram(root));

  write("dist/main.js", 1000);
  const unpacked = found();
  for (const name of ["src/main.ts", "src/cli/start.ts", "package-lock.json"]) write(name, 900);
  utimesSync(join(root, "src"), 900, 900);
  utimesSync(join(root, "src/cli"), 900, 900);
  const built = found();
  write("src/cli/start.ts", 1100);
  const edited = found();
  write("src/cli/start.ts", 900);
  write("package-lock.json", 1100);
  const updated = found();
  rmSync(join(root, "dist"), { recursive: true });

  assert.deepEqual([unpacked, built], ["dist/main.js", "dist/main.js"]);
  assert.deepEqual([edited, updated, found()], ["src/main.ts", "src/main.ts", "src/main.ts"]);
});

const isBuilt = process.env.ORIEL_PROGRAM !== undefined && existsSync("dist/main.js");
before(() => (isBuilt ? undefined : buildProgram("dist")));

describe("the npm package", () => {
  test("has the program, which runs both networks from where it was unpacked", async (t) => {
    const [packed, unpacked] = [temporaryDirectory(t), temporaryDirectory(t)];
    // Without a rebuild, which would take files from programs of other tests.
    execFileSync("tar", ["-xzf", packProgram(packed), "-C", unpacked, "--strip-components=1"]);
    symlinkSync(join(process.cwd(), "node_modules"), join(unpacked, "node_modules"));
    assert.equal(existsSync(join(unpacked, "src")), false);
    const script = join(unpacked, "bin/oriel.js");

    const printed = await runProgram(t, ["--version"], { script }).ended;
    const program = runProgram(t, ["start", "--port", "0", "--data", temporaryDirectory(t)], { script });

    assert.equal(printed.stdout.trim(), version);
    await expectServed(program);
  });

  test("is built by a script of its own, since npm runs none before or after another here", () => {
    const { scripts } = JSON.parse(readFileSync("package.json", "utf8")) as { scripts: Record<string, string> };
    const names = Object.keys(scripts);

    assert.match(readFileSync(".npmrc", "utf8"), /^ignore-scripts=true$/m);
    assert.deepEqual(
      names.filter((name) => /^(pre|post)/.test(name) || name === "prepare"),
      [],
    );
    assert.match(readFileSync(scripts.package!.split(" ").at(-1)!, "utf8"), /buildProgram\("dist"\);\n.*packProgram\(/);
  });
});

const platform = PLATFORMS.find((name) => name === `${process.platform}-${process.arch}`);

test("the archive runs both networks where it is unpacked, without Node or anything else", {
  skip: platform === undefined && "archives are for Linux on x64 and arm64",
}, async (t) => {
  const unpacked = temporaryDirectory(t);
  const archive = archiveProgram(platform!, temporaryDirectory(t), "gzip -1");
  execFileSync("tar", ["-xzf", archive, "-C", unpacked]);
  const linked = join(temporaryDirectory(t), "linked");
  symlinkSync(join(unpacked, "oriel/oriel"), linked);

  const printed = await runProgram(t, ["--version"], { executable: linked }).ended;
  const executable = join(unpacked, "oriel/oriel");
  const program = runProgram(t, ["start", "--port", "0", "--data", temporaryDirectory(t)], { executable });

  assert.deepEqual([printed.stdout.trim(), printed.stderr], [version, ""]);
  await expectServed(program);
});

async function expectServed(program: Program): Promise<void> {
  const urls = Object.values(await urlsOf(program));
  assert.equal(urls.length, 2);
  for (const url of urls) {
    assert.equal((await get(`${url}/api/v2/blocks`)).status, 200);
    assert.equal((await fetch(`${url}/`)).status, 200);
    assert.match(await (await fetch(`${url}/docs/operations`)).text(), /<h1 id="operations">/);
    assert.match(await evaluatePoint(`${url}/rpc`), /5bfeffffffff00000001$/);
  }
}

/** By the precompiled contract, which loads the library of KZG proofs. */
async function evaluatePoint(rpc: string): Promise<string> {
  const point = Buffer.alloc(32).fill(9, 31);
  const input = Buffer.concat([versionedHash(LINE.commitment), point, point, LINE.commitment, LINE.proof]);
  const call = { to: `0x${"0a".padStart(40, "0")}`, data: toHex(input), gas: "0x186a0" };
  const response = await fetch(rpc, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_call", params: [call, "latest"] }),
  });
  const answer = (await response.json()) as { result?: string };
  return answer.result ?? JSON.stringify(answer);
}
