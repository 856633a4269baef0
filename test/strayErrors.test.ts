import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, beforeEach, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { temporaryDirectory } from "./support/program.ts";

const PRELOAD = fileURLToPath(new URL("support/withoutAsyncHooks.ts", import.meta.url));

test("an error that no test catches fails its file, and is printed", (t) => {
  const directory = temporaryDirectory(t);
  const stray = {
    exception: 'setTimeout(() => { throw new Error("stray") }, 1)',
    rejection: "Promise.reject(new Error('stray'))",
  };
  for (const [name, code] of Object.entries({ ...stray, nothing: "" })) {
    const body = `${code}; await new Promise((resolve) => setTimeout(resolve, 50));`;
    writeFileSync(
      join(directory, `${name}.test.mjs`),
      `import { after, before, beforeEach, describe, test } from "node:test"; test("", async () => { ${body} });`,
    );
    const env = { ...process.env, NODE_TEST_CONTEXT: undefined };
    const args = ["--import", PRELOAD, "--test", join(directory, `${name}.test.mjs`)];
    const { status, stdout } = spawnSync(process.execPath, args, { env, encoding: "utf8" });

    assert.equal(status, name === "nothing" ? 0 : 1, name);
    assert.equal(stdout.includes("Error: stray"), name !== "nothing", name);
  }
});

describe("a suite", () => {
  let hooks = 0;
  before(() => {
    hooks++;
  });
  beforeEach(() => {
    hooks++;
  });

  test("has hooks of its own", () => assert.equal(hooks, 2));
  test("runs them before each of its tests", () => assert.equal(hooks, 3));

  after(() => assert.equal(hooks, 3, "not before those of others"));
});

test("a test beside a suite runs without the hooks of the suite", (t) => assert.equal(t.fullName, t.name));
