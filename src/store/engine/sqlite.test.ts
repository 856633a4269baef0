import assert from "node:assert/strict";
import { test } from "node:test";
import { SqliteDatabase } from "./sqlite.ts";

test("the version is told while a snapshot is read", async (t) => {
  const database = new SqliteDatabase({ path: ":memory:" });
  t.after(() => database.close());

  await database.snapshot(async ({ version }) => assert.equal(await database.version(), version));
});
