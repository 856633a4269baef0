import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { gunzipSync } from "node:zlib";
import { temporaryDirectory } from "../../test/support/program.ts";
import { Random } from "../../test/support/random.ts";
import { readTarFile } from "./tar.ts";

test("files of a package are read as npm packs them", (t) => {
  const folder = temporaryDirectory(t);
  const random = new Random(1);
  const sizes = [0, 1, 511, 512, 513, 1024, 100_000];
  const files = new Map(sizes.map((size) => [`of${size}.bin`, Buffer.from(random.bytes(size))]));
  files.set(`${"deep/".repeat(25)}far.js`, Buffer.from("far"));
  for (const [name, content] of files) {
    mkdirSync(join(folder, name, ".."), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
  writeFileSync(join(folder, "package.json"), '{"name": "packed", "version": "1.2.3"}');

  execFileSync("npm", ["pack", "--silent", "--ignore-scripts"], { cwd: folder, stdio: "ignore" });
  const archive = gunzipSync(readFileSync(join(folder, "packed-1.2.3.tgz")));

  for (const [name, content] of files) {
    if (name.length < 90) assert.deepEqual(readTarFile(archive, `package/${name}`), content, name);
  }
  assert.match(readTarFile(archive, "package/package.json")!.toString(), /"packed"/);
  assert.equal(readTarFile(archive, "package/none.js"), undefined);
});

test("an archive that is cut or was made up has no file, and is not read for ever", () => {
  const header = (name: string, size: string) => {
    const block = Buffer.alloc(512);
    block.write(name, 0, "latin1");
    block.write(size, 124, "latin1");
    return block;
  };
  const whole = Buffer.concat([header("a", "00000000004"), Buffer.from("text".padEnd(512, "\0"))]);
  assert.equal(readTarFile(whole, "a")!.toString(), "text");

  const wrong = [Buffer.alloc(0), Buffer.alloc(511), header("a", "777777777777"), header("a", "-1"), header("a", "x")];
  for (const archive of wrong) assert.equal(readTarFile(archive, "a"), undefined);
  const random = new Random(2);
  for (let round = 0; round < 200; round++) readTarFile(Buffer.from(random.bytes(random.int(4096))), "a");
  for (let size = 0; size < 516; size++) assert.equal(readTarFile(whole.subarray(0, size), "a"), undefined, `${size}`);
});
