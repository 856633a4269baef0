import assert from "node:assert/strict";
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { test } from "node:test";
import { temporaryDirectory } from "../../../test/support/program.ts";
import { until } from "../../../test/support/waiting.ts";
import { CHECKPOINTED_PAGES, Checkpointer, MAX_LOG_PAGES } from "./checkpointer.ts";
import { NO_FENCE } from "./database.ts";
import { databasesAt } from "./databases.ts";

const PAGE_SIZE = 8192;

/** An index, and how to commit some pages to it. */
async function openIndex(t: TestContext) {
  const directory = temporaryDirectory(t);
  const database = await databasesAt(directory).open("index");
  t.after(() => database.close());
  await database.transaction(NO_FENCE, (writer) =>
    writer.run("CREATE TABLE page (id INTEGER PRIMARY KEY, body BLOB NOT NULL)"),
  );
  let next = 0;
  const commit = (pages: number) =>
    database.transaction(NO_FENCE, async (writer) => {
      const body = new Uint8Array(PAGE_SIZE - 200);
      const rows = Array.from({ length: pages }, () => [next++, body]);
      await writer.insert("page", ["id", "body"], rows);
    });
  const path = join(directory, "index.sqlite");
  return {
    database,
    directory,
    commit,
    fileSize: () => statSync(path).size,
    logSize: () => statSync(`${path}-wal`).size,
  };
}

test("a thread of its own copies the log to the file, long before a commit would", async (t) => {
  const { commit, fileSize } = await openIndex(t);

  await commit(CHECKPOINTED_PAGES);

  await until("the pages are in the file", async () => fileSize() > CHECKPOINTED_PAGES * PAGE_SIZE);
});

test("the log has a bound, however much is written and read", async (t) => {
  const { database, directory, commit, logSize } = await openIndex(t);
  const reader = await databasesAt(directory).open("index", { readOnly: true });
  t.after(() => reader.close());
  const pages = 2500;
  let largest = 0;

  for (let at = 0; at < 12; at++) {
    const read = reader.snapshot((snapshot) => snapshot.all("SELECT count(*) FROM page"));
    await commit(pages);
    await read;
    largest = Math.max(largest, logSize());
  }

  assert.ok(largest <= (MAX_LOG_PAGES + 2 * pages) * (PAGE_SIZE + 24) + 32, `${largest}`);
  assert.equal((await database.all("SELECT count(*) FROM page"))[0]?.[0], 12 * pages);
});

test("a long snapshot keeps its state, and the writer goes on", async (t) => {
  const { database, directory, commit } = await openIndex(t);
  const reader = await databasesAt(directory).open("index", { readOnly: true });
  t.after(() => reader.close());
  const pages = MAX_LOG_PAGES / 2;
  await commit(1);

  const counts = await reader.snapshot(async (snapshot) => {
    const count = () => snapshot.all("SELECT count(*) FROM page");
    const before = await count();
    for (let at = 0; at < 4; at++) await commit(pages);
    return [before, await count()];
  });

  assert.deepEqual(counts, [[[1]], [[1]]]);
  assert.deepEqual(await database.all("SELECT count(*) FROM page"), [[4 * pages + 1]]);
});

test("the thread ends when no checkpoint follows, and starts with the next", async (t) => {
  if (process.platform !== "linux") return t.skip("threads are listed in /proc");
  const { directory, commit, fileSize } = await openIndex(t);
  const checkpointer = new Checkpointer(join(directory, "index.sqlite"), 200);
  t.after(() => checkpointer.close());
  const threads = () => readdirSync("/proc/self/task").length;
  const before = threads();

  for (const pages of [100, 200]) {
    await commit(100);
    checkpointer.note({ pages: CHECKPOINTED_PAGES, copied: 0 });
    await until("the thread has started", async () => threads() > before);
    await until("the pages are in the file", async () => fileSize() > pages * PAGE_SIZE);
    await until("the thread has ended", async () => threads() <= before);
  }
});
