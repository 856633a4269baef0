import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { compileWasm, WASM_MODULES } from "../build/buildWasm.js";

const skip = existsSync("node_modules/assemblyscript") ? false : "assemblyscript is not installed: run npm ci";

for (const module of WASM_MODULES) {
  test(`${module.target} is what ${module.source} compiles to, byte by byte`, { skip }, async () => {
    assert.equal(readFileSync(module.target, "utf8"), await compileWasm(module));
  });
}
