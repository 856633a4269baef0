import assert from "node:assert/strict";
import { test } from "node:test";
import { databasesAt, describeUrl } from "./databases.ts";

test("a URL chooses the engine", () => {
  assert.equal(databasesAt("/data/main").locate("index"), "/data/main/index.sqlite");
  assert.equal(databasesAt("sqlite:/data/main").locate("blobs"), "/data/main/blobs.sqlite");
  assert.equal(databasesAt("data:main").locate("contracts"), "data:main/contracts.sqlite");
  assert.equal(databasesAt("postgres://me:secret@host/main").locate("index"), "host/main (schema oriel_index)");
  assert.equal(databasesAt("postgres://host/main?schema=a").locate("blobs"), "host/main (schema a_blobs)");
  assert.throws(() => databasesAt("mysql://host/main"), { code: "invalid_argument", message: /mysql:\/\// });
  const injected = 'postgres://me:secret@host/main?schema=a";DROP';
  assert.throws(
    () => databasesAt(injected),
    ({ message }: Error) => /schema/.test(message) && !/secret/.test(message),
  );
});

test("a URL is described without its credentials", () => {
  assert.equal(describeUrl("postgres://me:p@ss@host:1/main?schema=a"), "postgres://host:1/main?schema=a");
  assert.equal(describeUrl("/data/me@home"), "/data/me@home");
});
