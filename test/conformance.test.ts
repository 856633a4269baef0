import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { test } from "node:test";
import { difference } from "../conformance/compare.ts";

const ROOT = resolve(import.meta.dirname, "..");
const vectors = process.env.ORIEL_VECTORS ?? join(ROOT, "../shared/vectors");
const isThere = existsSync(join(vectors, "execution-apis"));

function run(folder: string, ...args: string[]) {
  const env = { ...process.env, ORIEL_VECTORS: folder };
  return spawnSync("node", ["bin/node.js", "conformance/main.ts", ...args], { cwd: ROOT, env, encoding: "utf8" });
}

test("answers are equal whatever the order of their keys and the words of their errors", () => {
  const refusal = (code: number, message: string, data?: string) => ({ error: { code, message, data } });

  assert.equal(difference({ result: { a: 1, b: [2] } }, { result: { b: [2], a: 1 } }, false), undefined);
  assert.equal(difference(refusal(3, "a", "0x1"), refusal(3, "b", "0x1"), false), undefined);
  assert.match(difference(refusal(3, "a", "0x1"), refusal(3, "a"), false)!, /^error.data: expected "0x1"/);
  assert.match(difference({ result: [1] }, { result: [1, 2] }, false)!, /^result.1: expected nothing, not 2$/);
  assert.match(difference({ result: null }, refusal(-1, "no"), false)!, /^refused: no$/);
});

test("shapes are equal where keys and types are, and null stands for anything", () => {
  const shape = (want: unknown, have: unknown) => difference({ result: want }, { result: have }, true);

  assert.equal(shape({ a: "0x1", b: null, c: [] }, { a: "0x2", b: {}, c: [1] }), undefined);
  assert.equal(shape({ "0xaa": { "0": {} } }, { "0xbb": { "1": {} }, "0xcc": {} }), undefined);
  assert.match(shape({ a: "0x1" }, { a: 1 })!, /^result.a: /);
  assert.match(shape({ a: [{ b: 1 }] }, { a: [{ c: 1 }] })!, /^result.a.0.b: /);
});

test("the node answers the vectors as expected", { skip: !isThere }, () => {
  const { status, stdout, stderr } = run(vectors, "--least", "130");

  assert.equal(status, 0, `${stdout}${stderr}`);
});

test("without vectors there is nothing to answer, and too few answers are a failure", () => {
  const absent = run(join(ROOT, "nowhere"));

  assert.equal(absent.status, 0);
  assert.match(absent.stdout, /skipped/);
  if (isThere) assert.equal(run(vectors, "--least", "2", "eth_chainId").status, 1);
});
