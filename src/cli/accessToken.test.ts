import assert from "node:assert/strict";
import { statSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryDirectory } from "../../test/support/program.ts";
import { ACCESS_TOKEN_FILE, readAccessToken } from "./accessToken.ts";

test("a data directory has one token, which only its user can read", (t) => {
  const [data, other] = [temporaryDirectory(t), temporaryDirectory(t)];

  const token = readAccessToken(data);

  assert.match(token, /^[0-9a-f]{64}$/);
  assert.equal(readAccessToken(data), token);
  assert.notEqual(readAccessToken(other), token);
  assert.equal(statSync(join(data, ACCESS_TOKEN_FILE)).mode & 0o777, 0o600);
});
