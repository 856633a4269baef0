import assert from "node:assert/strict";
import { test } from "node:test";
import { databasesAt } from "./databases.ts";

test("a URL chooses the engine", () => {
  assert.equal(databasesAt("/data/main").locate("index"), "/data/main/index.sqlite");
  assert.equal(databasesAt("sqlite:/data/main").locate("blobs"), "/data/main/blobs.sqlite");
  assert.equal(databasesAt("data:main").locate("contracts"), "data:main/contracts.sqlite");
  assert.throws(() => databasesAt("postgres://host/main"), { code: "invalid_argument", message: /postgres:\/\// });
});
