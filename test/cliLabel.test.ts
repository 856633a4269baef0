import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { parseLabels } from "../src/cli/label.ts";
import { ContractStore } from "../src/store/contracts/contractStore.ts";
import { runProgram, temporaryDirectory } from "./support/program.ts";

const [ONE, OTHER] = [`0x${"1a".repeat(20)}` as const, `0x${"2b".repeat(20)}` as const];

test("labels are set, imported, listed and removed in the index that is named", async (t) => {
  const cwd = temporaryDirectory(t);
  const run = (...args: string[]) =>
    runProgram(t, ["label", ...args, "--data", "data", "--network", "testnet"], { cwd }).ended;
  writeFileSync(join(cwd, "labels.csv"), `# exchanges\n${OTHER.toUpperCase().replace("0X", "0x")}, "Vault, cold"\n`);

  const set = await run("set", ONE, "Hot", "wallet");
  const imported = await run("import", "labels.csv");
  const listed = await run("list");

  assert.deepEqual([set.code, imported.code, listed.code], [0, 0, 0], set.stderr + imported.stderr);
  assert.match(listed.stdout, /0x1a1A1a\S+ +Hot wallet\n +0x2B2b2B\S+ +Vault, cold\n/i);
  const contracts = await ContractStore.open(join(cwd, "data", "testnet"));
  t.after(() => contracts.close());
  assert.deepEqual([...contracts.labels.values()], ["Hot wallet", "Vault, cold"]);
  assert.equal(await contracts.removeLabels(), 2);
  assert.equal(contracts.labels.size, 0);
});

test("labels of several networks are listed by network", async (t) => {
  const cwd = temporaryDirectory(t);
  const run = (...args: string[]) => runProgram(t, ["label", ...args, "--data", "data"], { cwd }).ended;
  await run("set", ONE, "Vault");

  assert.match((await run("list")).stdout, /^mainnet:\n +0x1a1A1a\S+ +Vault\ntestnet:\n +0x1a1A1a\S+ +Vault\n$/i);
  assert.equal((await run("remove", "all")).stdout, "mainnet: removed 1\ntestnet: removed 1\n");
});

test("a label that is none is refused with its line", () => {
  assert.throws(() => parseLabels("0x12,short"), /line 1: "0x12" is no address/);
  assert.throws(() => parseLabels(`${ONE},fine\n${ONE}`), /line 2 has no comma/);
  assert.throws(() => parseLabels(`${ONE},${"x".repeat(61)}`), /1 to 60 printable characters/);
  assert.throws(() => parseLabels(`${ONE},a\u202eb`), /printable/);
});
