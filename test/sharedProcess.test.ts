import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { temporaryDirectory } from "./support/program.ts";

const SHARED = new URL("support/sharedProcess.ts", import.meta.url).href;

const FILES = `import "${SHARED}";
import { test } from "node:test";
const large = [];
test("a wait that does not keep the process alive ends", () => new Promise((resolve) => { setTimeout(resolve, 50).unref(); }));
test("a hook runs once", (t) => {
  const store = { close: () => console.log("closed a store") };
  large.push(new WeakRef(store));
  t.after(() => store.close());
});
test("what a hook has closed is released", async () => {
  await new Promise((resolve) => setImmediate(resolve));
  gc();
  console.log("released", large[0].deref() === undefined);
});`;

test("files that share a process wait for what they await, and release what their tests closed", (t) => {
  const path = join(temporaryDirectory(t), "shared.test.mjs");
  writeFileSync(path, FILES);

  const env = { ...process.env, NODE_TEST_CONTEXT: undefined };
  const { status, stdout } = spawnSync(process.execPath, ["--expose-gc", path], { env, encoding: "utf8" });

  assert.equal(status, 0, stdout);
  assert.equal(stdout.match(/closed a store/g)?.length, 1, stdout);
  assert.match(stdout, /released true/);
});
