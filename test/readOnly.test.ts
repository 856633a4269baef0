import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { MAIN, temporaryDirectory } from "./support/program.ts";

/** For root every file is writable, so the program runs as another user. */
const AS_USER = process.getuid?.() === 0 ? ["setpriv", "--reuid=65534", "--clear-groups"] : [];
const CAN_RUN = AS_USER.length === 0 || spawnSync("setpriv", ["--version"]).error === undefined;

test("a start names the directory or the file that cannot be written", { skip: !CAN_RUN }, (t) => {
  const data = temporaryDirectory(t);
  const own = join(data, "testnet");
  const start = () => {
    const args = ["start", "--network", "testnet", "--port", "0", "--data", data];
    const [file, ...rest] = [...AS_USER, process.execPath, MAIN, ...args];
    const env = { PATH: process.env.PATH };
    const { status, stderr } = spawnSync(file!, rest, { cwd: data, env, encoding: "utf8", timeout: 60_000 });
    return [status, stderr.replace(/EACCES.*\n$/s, "EACCES")];
  };

  chmodSync(data, 0o555);
  const unmade = start();
  chmodSync(data, 0o755);
  mkdirSync(own, { mode: 0o555 });
  const unwritten = start();
  chmodSync(own, 0o777);
  writeFileSync(join(own, "node.sqlite"), "", { mode: 0o444 });
  const file = start();

  assert.deepEqual(unmade, [2, `oriel: the data directory ${own} cannot be made: EACCES`]);
  assert.deepEqual(unwritten, [2, `oriel: the data directory ${own} cannot be written: EACCES`]);
  assert.deepEqual(file, [2, `oriel: ${join(own, "node.sqlite")} cannot be written: EACCES`]);
});
