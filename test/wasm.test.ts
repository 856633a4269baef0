import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { compileScanner } from "../build/buildScanner.js";

const skip = existsSync("node_modules/assemblyscript") ? false : "assemblyscript is not installed: run npm ci";

test("the WebAssembly that decodes blocks is what its source compiles to, byte by byte", { skip }, async () => {
  const compiled = await compileScanner();

  assert.equal(readFileSync("src/chain/scan/scannerModule.ts", "utf8"), compiled);
});
