import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { writeClient } from "../../client/generate/writeClient.ts";
import type { OpenApiDocument } from "../../src/api/openapi/document.ts";
import { urlsOf } from "../support/networks.ts";
import { get, runProgram, temporaryDirectory } from "../support/program.ts";

test("the generated files of the client are those of what the program serves: npm run client writes them", async (t) => {
  const args = ["start", "--network", "mainnet", "--port", "0", "--data", temporaryDirectory(t)];
  const { mainnet } = await urlsOf(runProgram(t, args), 1);

  const { body } = await get(`${mainnet}/openapi.json`);

  const expected = writeClient(body as unknown as OpenApiDocument);
  for (const [path, text] of Object.entries(expected)) {
    assert.ok(readFileSync(path, "utf8") === text, `${path} is not what the program serves: npm run client`);
  }
});
