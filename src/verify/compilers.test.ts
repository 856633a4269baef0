import assert from "node:assert/strict";
import { appendFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { test } from "node:test";
import { startNpmRegistry } from "../../test/support/npmRegistry.ts";
import { temporaryDirectory } from "../../test/support/program.ts";
import { Compilers } from "./compilers.ts";
import { parseCompilerVersion } from "./compilerVersion.ts";

const find = (compilers: Compilers, version: string) => compilers.find(parseCompilerVersion(version));

function placed(t: TestContext): string {
  const directory = temporaryDirectory(t);
  const files = ["soljson-v0.8.28+commit.7893614a.js", "soljson-v0.8.9.js", "soljson-v0.8.30-nightly.js", "notes.txt"];
  for (const name of files) writeFileSync(join(directory, name), "");
  for (const [name, about] of [
    ["solc-0.5.17", '{"version": "0.5.17"}'],
    ["solc-next", '{"version": "0.9.0-beta"}'],
    ["solc-broken", "{"],
    ["other", '{"version": "0.6.0"}'],
  ] as const) {
    mkdirSync(join(directory, name));
    writeFileSync(join(directory, name, "package.json"), about);
    writeFileSync(join(directory, name, "soljson.js"), "");
  }
  mkdirSync(join(directory, "solc-empty"));
  return directory;
}

test("placed compilers are found in files and packages, newest first; what is none is passed over", (t) => {
  const cache = join(temporaryDirectory(t), "none");
  const directory = placed(t);
  const compilers = new Compilers({ cache, directories: [directory], fetches: false });

  const found = compilers.list();

  const own = JSON.parse(readFileSync("node_modules/solc/package.json", "utf8")).version as string;
  assert.deepEqual(
    found.map(({ version }) => version),
    [own, "0.8.28", "0.8.9", "0.5.17"],
  );
  assert.equal(found[1]!.commit, "7893614a");
  assert.equal(found[3]!.path, join(directory, "solc-0.5.17", "soljson.js"));
});

test("a version that was placed comes before the one that came along", async (t) => {
  const directory = temporaryDirectory(t);
  const { version } = new Compilers({ cache: directory, fetches: false }).list()[0]!;
  writeFileSync(join(directory, `soljson-v${version}.js`), "");
  const compilers = new Compilers({ cache: join(directory, "none"), directories: [directory], fetches: false });

  const { path } = await find(compilers, version);

  assert.equal(path, join(directory, `soljson-v${version}.js`));
});

test("another commit of a version, and a version that is not there, are refused in words", async (t) => {
  const compilers = new Compilers({ cache: temporaryDirectory(t), directories: [placed(t)], fetches: false });

  await assert.rejects(find(compilers, "v0.8.28+commit.00000000"), {
    code: "not_found",
    message: "solc 0.8.28+commit.00000000 is not available: the release 0.8.28 was built from commit 7893614a",
  });
  await assert.rejects(find(compilers, "v0.8.10"), {
    code: "not_found",
    message: "solc 0.8.10 is not available: it is not among the compilers here, and none are fetched",
  });
});

test("a version is fetched from npm once, however many ask, and kept", async (t) => {
  const cache = join(temporaryDirectory(t), "compilers");
  const { asked } = await startNpmRegistry(t, "0.1.99", "module.exports = 1;");
  const compilers = new Compilers({ cache, fetches: true });

  const found = await Promise.all([1, 2, 3].map(() => find(compilers, "0.1.99")));

  assert.equal(asked.filter((url) => url === "/solc.tgz").length, 1);
  assert.equal(readFileSync(found[0]!.path, "utf8"), "module.exports = 1;");
  assert.deepEqual(readdirSync(cache).sort(), ["soljson-v0.1.99.js", "soljson-v0.1.99.js.sha256"]);
  const offline = new Compilers({ cache, fetches: false });
  assert.equal((await find(offline, "0.1.99")).path, found[2]!.path);
  await assert.rejects(find(compilers, "0.1.98"), /solc 0\.1\.98 is not available: npm has no such solc/);

  appendFileSync(found[0]!.path, "// changed");
  await assert.rejects(find(compilers, "0.1.99"), {
    code: "store_corrupt",
    message: "the compiler soljson-v0.1.99.js is not what was fetched; delete its file",
  });
});

test("a package that is not what the registry says is refused, and nothing of it kept", async (t) => {
  const cache = join(temporaryDirectory(t), "compilers");
  const registry = await startNpmRegistry(t, "0.1.99", "module.exports = 1;");
  registry.change();
  const compilers = new Compilers({ cache, fetches: true });

  await assert.rejects(find(compilers, "0.1.99"), /solc 0\.1\.99 is not available/);

  assert.ok(registry.asked.includes("/solc.tgz"));
  assert.deepEqual(
    compilers.list().filter(({ version }) => version === "0.1.99"),
    [],
  );
});

test("a fetch ends with who wanted it", async (t) => {
  const compilers = new Compilers({ cache: temporaryDirectory(t), fetches: true });
  const closing = new AbortController();
  const fetched = compilers.find(parseCompilerVersion("0.1.99"), closing.signal);
  closing.abort();

  await assert.rejects(fetched, /not available/);
});
