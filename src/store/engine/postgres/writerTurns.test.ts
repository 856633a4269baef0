import assert from "node:assert/strict";
import { test } from "node:test";
import { transact } from "../../../../test/support/autocommit.ts";
import { emptyStore, postgresUrl } from "../../../../test/support/postgresServer.ts";
import { databasesAt } from "../databases.ts";

const server = await postgresUrl();

function work(milliseconds: number): void {
  const end = performance.now() + milliseconds;
  while (performance.now() < end);
}

test("a long series of writes lets the event loop send what the socket had no room for", async (t) => {
  const database = await databasesAt(emptyStore(server)).open("index");
  t.after(() => database.close());
  await transact(database, async (writer) => {
    await writer.run("CREATE TABLE entry (id BIGINT PRIMARY KEY)");
    await writer.insert("entry", ["id"], [[0]]);
    let hasTurned = false;
    setImmediate(() => {
      hasTurned = true;
    });

    for (let id = 1; id <= 10; id++) {
      work(5);
      await writer.insert("entry", ["id"], [[id]]);
    }

    assert.ok(hasTurned);
  });
});
