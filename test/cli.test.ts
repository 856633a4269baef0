import assert from "node:assert/strict";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { TestContext } from "node:test";
import { test } from "node:test";
import { COMMANDS } from "../src/commands.ts";
import { openStore } from "../src/store/openStore.ts";
import type { Ending, ProgramOptions } from "./support/program.ts";
import { LAUNCHER, runProgram, temporaryDirectory } from "./support/program.ts";
import { SimulatedChain } from "./support/simulatedChain.ts";
import { startSimulatedNode } from "./support/simulatedNode.ts";

async function openNode(t: TestContext, blocks = 3) {
  const chain = new SimulatedChain({ seed: 11 });
  chain.mine(blocks);
  const node = await startSimulatedNode(chain);
  t.after(() => node.close());
  return { chain, node };
}

/** One line on stderr, nothing on stdout, the code. */
async function expectFailure(
  t: TestContext,
  args: readonly string[],
  code: number,
  line: RegExp,
  how?: ProgramOptions,
) {
  const ending = await runProgram(t, args, { cwd: temporaryDirectory(t), ...how }).ended;
  assertFailure(ending, code, line);
}

function assertFailure({ code: found, stderr }: Ending, code: number, line: RegExp): void {
  assert.match(stderr, /^oriel: [^\n]+\n$/);
  assert.match(stderr, line);
  assert.equal(found, code, stderr);
}

const NOWHERE = ["--rpc", "http://127.0.0.1:1"];

const MISTAKES: readonly (readonly [args: string[], line: RegExp])[] = [
  [["start", "--bogus"], /'--bogus'.*try oriel --help/],
  [["start", ...NOWHERE, "--samples", "3"], /start has no --samples; try oriel start --help/],
  [["start", ...NOWHERE, "--port", "70000"], /--port must be an integer from 0 to 65535, not "70000"/],
  [["start", ...NOWHERE, "--port"], /'--port/],
  [["start", ...NOWHERE, "--integrity", "maybe"], /--integrity must be one of auto, enforce, observe/],
  [["start", "--rpc", "ftp://secretkey.example"], /--rpc must be an http or https URL\n/],
  [["start", "now"], /start takes no "now"/],
  [["begin"], /there is no command "begin"/],
  [["backup"], /backup needs a file/],
];

test("what the caller got wrong is one line and exit code 2", { concurrency: 2 }, async (t) => {
  for (const [args, line] of MISTAKES) {
    await t.test(args.join(" "), (inner) => expectFailure(inner, args, 2, line));
  }
});

test("a configuration file that is missing, malformed or has unknown keys is refused", {
  concurrency: 2,
}, async (t) => {
  const directory = temporaryDirectory(t);
  const write = (name: string, text: string) => {
    writeFileSync(join(directory, name), text);
    return join(directory, name);
  };
  const files: [string, RegExp][] = [
    [join(directory, "absent.json"), /absent\.json cannot be read/],
    [write("broken.json", "{"), /broken\.json cannot be read/],
    [write("list.json", "[]"), /must hold one JSON object/],
    [write("unknown.json", '{"prot": 1}'), /has an unknown setting "prot"/],
    [write("wrong.json", '{"rpc": "http://127.0.0.1:1", "port": "x"}'), /--port must be an integer/],
  ];
  for (const [file, line] of files) {
    await t.test(file, (inner) => expectFailure(inner, ["start", "--config", file], 2, line));
  }
});

test("exit codes and output pass through the launcher", async (t) => {
  await expectFailure(t, ["begin"], 2, /no command/, { script: LAUNCHER });
  const ending = await runProgram(t, ["--version"], { script: LAUNCHER }).ended;

  assert.deepEqual([ending.code, ending.stderr], [0, ""]);
  assert.match(ending.stdout, /^\d+\.\d+\.\d+\n$/);
});

test("help fits a screen", async (t) => {
  for (const command of [[], ...Object.keys(COMMANDS).map((name) => [name])]) {
    const { code, stdout } = await runProgram(t, [...command, "--help"]).ended;
    const lines = stdout.trimEnd().split("\n");

    assert.equal(code, 0);
    assert.ok(lines.length <= 24, `${lines.length} lines`);
    for (const line of lines) assert.ok(line.length <= 120, line);
  }
});

test("a node that cannot be reached ends a start without an index", async (t) => {
  const args = ["start", "--rpc", "http://name:passw0rd@127.0.0.1:1/v3/secretkey?token=othersecret"];
  const ending = await runProgram(t, args, { cwd: temporaryDirectory(t) }).ended;

  assertFailure(ending, 1, /127\.0\.0\.1:1/);
  assert.doesNotMatch(ending.stdout + ending.stderr, /passw0rd|secretkey|othersecret/);
});

test("a node of another chain is refused", async (t) => {
  const { node } = await openNode(t);
  await expectFailure(t, ["start", "--rpc", node.url, "--chain-id", "1"], 1, /chain 677.*\b1\b|\b1\b.*677/);
});

test("a data directory that cannot be used is refused with the reason", async (t) => {
  const { node } = await openNode(t);
  const make = async (name: string, fill: (data: string) => void | Promise<void>) => {
    const data = join(temporaryDirectory(t), name);
    mkdirSync(data);
    await fill(data);
    return data;
  };
  const database = (data: string) => join(data, "index.sqlite");
  const exec = (data: string, sql: string) => {
    const opened = new DatabaseSync(database(data));
    opened.exec(sql);
    opened.close();
  };
  const other = await make("other", async (data) => (await openStore(data, 5)).close());
  const corrupt = await make("corrupt", (data) => writeFileSync(database(data), "no database at all ".repeat(1000)));
  const foreign = await make("foreign", (data) => exec(data, "CREATE TABLE notes (text TEXT)"));
  const newer = await make("newer", async (data) => {
    await (await openStore(data, 677)).close();
    exec(data, "UPDATE meta SET value = '99' WHERE name = 'schema'");
  });
  const start = (data: string) => ["start", "--rpc", node.url, "--data", data, "--port", "0"];
  const parent = temporaryDirectory(t);
  writeFileSync(join(parent, "file"), "");

  await expectFailure(t, start(other), 1, /holds chain 5, not 677/);
  await expectFailure(t, start(corrupt), 1, /damaged or not a database/);
  await expectFailure(t, start(foreign), 1, /not one of ours/);
  await expectFailure(t, start(newer), 1, /schema 99/);
  await expectFailure(t, start(join(parent, "file")), 2, /the data directory .*file cannot be made/);
  await expectFailure(t, start("/dev/null/oriel"), 2, /the data directory \/dev\/null\/oriel cannot be made/);
});

const PROC = { skip: !existsSync("/proc/self"), timeout: 120_000 };

test("a directory under /proc is refused at once, in one line", PROC, async (t) => {
  const { node } = await openNode(t);
  const own = ["start", "--port", "0", "--data"];
  const followed = [...own.slice(0, 1), "--rpc", node.url, ...own.slice(1)];

  for (const args of [own, followed]) {
    await expectFailure(t, [...args, "/proc/nope"], 2, /the data directory \/proc\/nope\S* cannot be made: ENOENT/);
    await expectFailure(t, [...args, "/proc/a/b/c"], 2, /the data directory \/proc\/a\/b\/c\S* cannot be made: ENOENT/);
  }
  await expectFailure(t, [...followed, "/proc"], 2, /the data directory \/proc cannot be written: /);
});

test("a second program on the same data directory, and on the same port, is refused", async (t) => {
  const { node } = await openNode(t);
  const data = temporaryDirectory(t);
  const url = await runProgram(t, ["start", "--rpc", node.url, "--data", data, "--port", "0"]).url();
  const { port } = new URL(url);

  await expectFailure(t, ["start", "--rpc", node.url, "--data", data, "--port", "0"], 1, /another oriel is running/);
  await expectFailure(t, ["start", "--rpc", node.url, "--port", port], 2, /the port is in use/);
});

test("a flag wins over the environment, the environment over the file", async (t) => {
  const cwd = temporaryDirectory(t);
  writeFileSync(join(cwd, "oriel.json"), JSON.stringify({ data: "fromFile", host: "fromFile", to: "fromFile" }));
  const environment = { ORIEL_DATA: "fromEnvironment", ORIEL_TO: "fromEnvironment" };

  await expectFailure(t, ["backup", "--data", "fromFlag"], 1, /fromFlag/, { cwd, environment });
  await expectFailure(t, ["backup"], 1, /fromEnvironment/, { cwd, environment });
  await expectFailure(t, ["backup"], 1, /fromFile/, { cwd });
  assert.ok(!existsSync(join(cwd, "fromFlag")), "reading makes nothing");
});
