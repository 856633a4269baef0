import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { urlsOf } from "./support/networks.ts";
import { runProgram, temporaryDirectory } from "./support/program.ts";
import { CODE, CONTRACT, compileForImport, SOURCES } from "./support/verification/importedProject.ts";
import { VerifyingNetwork } from "./support/verification.ts";

test("sources that explorers serve are imported, each verified against the code of its contract", async (t) => {
  const cwd = temporaryDirectory(t);
  const data = ["--data", "data", "--network", "testnet"];
  const start = ["start", ...data, "--port", "0", "--poll", "50"];
  const network = new VerifyingNetwork((await urlsOf(runProgram(t, start, { cwd }), 1)).testnet!);
  t.after(() => network.close());
  const { compiled, input, metadata } = compileForImport();
  const deploy = () => network.deploy(compiled, 5n);
  const [original, ...copies] = [await deploy(), await deploy(), await deploy(), await deploy(), await deploy()];
  const { result } = await network.verify({ address: original, input, contract: CONTRACT });
  assert.equal(result, "Pass - Verified");
  const write = (path: string, content: unknown) => {
    const file = join(cwd, "sources", path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content));
  };
  const [etherscan, blockscout, sourcify, repository] = copies as [string, string, string, string];
  write(`${etherscan}.json`, { result: [{ ...(await network.source(original)), Address: undefined }] });
  write(`${blockscout}.json`, await network.rest(`/smart-contracts/${original}`));
  const served = await fetch(`${network.url}/v2/contract/968/${original}?fields=all`);
  write("sourcify.json", { ...((await served.json()) as object), address: sourcify });
  write(`full_match/968/${repository}/metadata.json`, metadata);
  for (const [at, content] of SOURCES.entries()) write(`full_match/968/${repository}/sources/${at}.sol`, content);
  write("notes.json", { nothing: true });
  write(`0x${"99".repeat(20)}.json`, { ...(await network.rest(`/smart-contracts/${original}`)), address: null });
  const run = (...paths: string[]) => runProgram(t, ["source", "import", ...paths, ...data], { cwd }).ended;

  const imported = await run("sources");
  const again = await run(join("sources", "full_match"), join("sources", `${etherscan}.json`));

  assert.deepEqual([imported.code, imported.stdout], [1, "4 verified, 0 already known, 1 failed\n"], imported.stderr);
  assert.match(imported.stderr, /^0x9999\S+: there is no code at the address\n$/);
  assert.deepEqual([again.code, again.stdout, again.stderr], [0, "0 verified, 2 already known, 0 failed\n", ""]);
  const expected = await network.source(original);
  for (const address of copies) {
    // Metadata has the defaults of the compiler as well.
    const { SourceCode, CompilerSettings, EVMVersion } =
      address === repository ? await network.source(address) : expected;
    assert.deepEqual(await network.source(address), {
      ...{ ...expected, Address: address },
      ...{ SourceCode, CompilerSettings, EVMVersion },
    });
    assert.equal((await network.rest(`/smart-contracts/${address}`)).is_fully_verified, true);
  }
  assert.match(expected.SourceCode!, new RegExp(CODE));
});

test("an import says what it lacks", async (t) => {
  const cwd = temporaryDirectory(t);
  const run = (...args: string[]) => runProgram(t, ["source", ...args], { cwd }).ended;

  const [bare, missing, none] = [await run("import"), await run("import", "sources"), await run("import", ".")];

  assert.deepEqual([bare.code, missing.code, none.code], [2, 1, 1]);
  assert.match(bare.stderr, /source is followed by import and files or folders/);
  assert.match(missing.stderr, /there is no sources/);
  assert.match(none.stderr, /there is no index in /);
});
