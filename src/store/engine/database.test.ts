import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { test } from "node:test";
import { autocommit, transact } from "../../../test/support/autocommit.ts";
import { describeEveryEngine } from "../../../test/support/engines.ts";
import { ChainError } from "../../chain/error.ts";
import { openStore, openStoreReadOnly } from "../openStore.ts";
import type { Database, Reader, Snapshot } from "./database.ts";
import { databasesAt } from "./databases.ts";

await describeEveryEngine((tested) => {
  function temporary(t: TestContext): string {
    const directory = mkdtempSync(join(tmpdir(), "oriel-engine-"));
    t.after(() => rmSync(directory, { recursive: true, force: true }));
    return directory;
  }

  async function open(t: TestContext, directory?: string): Promise<Database> {
    const database = await databasesAt(directory === undefined ? tested.memory : tested.at(directory)).open("index");
    t.after(() => database.close());
    await autocommit(database).run(
      `CREATE TABLE IF NOT EXISTS item (id ${database.dialect.integer} PRIMARY KEY, name TEXT)`,
    );
    return database;
  }

  const COUNTS = [0, 1, 2, 7, 8, 9, 15, 16, 17, 63, 64, 65, 255, 256, 257, 511, 512, 513, 1024, 1025];
  const items = (count: number, name: string) => Array.from({ length: count }, (_, id) => [id, name]);
  const byId = (a: unknown[], b: unknown[]) => (a[0] as number) - (b[0] as number);

  test("any number of rows can be inserted, replaced, loaded and removed", async (t) => {
    const database = await open(t);
    for (const count of COUNTS) {
      const keys = Array.from({ length: count }, (_, id) => id);
      const all = () => database.all("SELECT id, name FROM item ORDER BY id");

      await autocommit(database).insert("item", ["id", "name"], items(count, "a"));
      assert.deepEqual(await all(), items(count, "a"));
      await autocommit(database).upsert("item", ["id", "name"], items(count + 3, "b"));
      assert.deepEqual(await all(), items(count + 3, "b"));
      const loaded = await database.load("SELECT id, name FROM item WHERE id IN ($keys)", keys);
      assert.deepEqual(loaded.sort(byId), items(count, "b"));
      const some = await database.load("SELECT id FROM item WHERE id IN ($keys)", [...keys, -1, 10_000]);
      assert.deepEqual(
        some.sort(byId),
        keys.map((id) => [id]),
      );
      await autocommit(database).remove(
        "item",
        ["id"],
        [...keys, count, count + 1, count + 2].map((id) => [id]),
      );
      assert.deepEqual(await all(), []);
    }
  });

  test("an update changes stored rows by any number of leading columns, and no others", async (t) => {
    const database = await open(t);
    const { integer, bytes } = database.dialect;
    await autocommit(database).run(
      `CREATE TABLE held (a ${integer}, b ${integer}, body ${bytes} NOT NULL, size ${integer}, PRIMARY KEY (a, b))`,
    );
    const columns = ["a", "b", "body", "size"];
    const row = (at: number, by: number) => [at >> 3, at & 7, new Uint8Array(at % 5).fill(by), by];
    const stored = Array.from({ length: 12_000 }, (_, at) => row(at, 1));
    const changed = stored.flatMap((_, at) => (at % 2 === 0 ? [row(at, 2)] : []));
    await autocommit(database).insert("held", columns, stored);
    await autocommit(database).insert("item", ["id", "name"], items(2, "a"));

    await autocommit(database).update("held", columns, changed, 2);
    await autocommit(database).update("item", ["id", "name"], [[1, "b"]]);
    await autocommit(database).update("item", ["id", "name"], []);

    const expected = stored.map((_, at) => row(at, at % 2 === 0 ? 2 : 1));
    assert.deepEqual(await database.all("SELECT a, b, body, size FROM held ORDER BY a, b"), expected);
    assert.deepEqual(await database.all("SELECT id, name FROM item ORDER BY id"), [
      [0, "a"],
      [1, "b"],
    ]);
  });

  test("many rows at once keep every value, however many there are", async (t) => {
    const database = await open(t);
    const { integer, bytes, text } = database.dialect;
    await autocommit(database).run(
      `CREATE TABLE mixed (id ${integer} PRIMARY KEY, size ${integer}, body ${bytes}, name ${text})`,
    );
    const rows = Array.from({ length: 12_001 }, (_, id) => [
      id,
      [null, 0, -1, 2 ** 53 - 1, 1 - 2 ** 53][id % 5]!,
      id % 3 === 0 ? null : new Uint8Array(id % 7).fill(id),
      [null, "", "é\n\\.\t", "0x"][id % 4]!,
    ]);

    await autocommit(database).insert("mixed", ["id", "size", "body", "name"], rows);

    assert.deepEqual(await database.all("SELECT id, size, body, name FROM mixed ORDER BY id"), rows);
  });

  test("many rows of which one is refused are none, and the transaction says why", async (t) => {
    const database = await open(t);
    const twice = [...items(6000, "a"), ...items(6000, "b")];

    const refused = transact(database, async (writer) => {
      await writer.insert("item", ["id", "name"], twice);
      await writer.insert("item", ["id", "name"], items(300, "c"));
      await writer.all("SELECT count(*) FROM item");
    });

    await assert.rejects(refused, /duplicate|UNIQUE/i);
    await transact(database, (writer) => writer.insert("item", ["id", "name"], items(300, "d")));
    assert.deepEqual(await database.all("SELECT count(*) FROM item"), [[300]]);
  });

  test("text with a zero character is stored, with another character where the engine has none", async (t) => {
    const database = await open(t);
    await autocommit(database).insert("item", ["id", "name"], [[1, "a\0b"]]);
    await autocommit(database).run("INSERT INTO item VALUES (?, ?)", 2, "a\0b");

    for (const [name] of await database.all<[string]>("SELECT name FROM item")) assert.match(name, /^a[\0\ufffd]b$/);
  });

  test("a transaction that throws leaves nothing, and the next one works", async (t) => {
    const database = await open(t);
    const failing = transact(database, async (writer) => {
      await writer.insert("item", ["id", "name"], items(40, "a"));
      throw new Error("no");
    });
    const next = transact(database, (writer) => writer.insert("item", ["id", "name"], items(2, "b")));

    await assert.rejects(failing, { message: "no" });
    await next;
    assert.deepEqual(await database.all("SELECT id, name FROM item"), items(2, "b"));
    await assert.rejects(transact(database, (writer) => writer.insert("item", ["id", "name"], [[1, "twice"]])));
    assert.deepEqual(await database.all("SELECT count(*) FROM item"), [[2]]);
  });

  test("a transaction whose fence is lost stores nothing", async (t) => {
    const database = await open(t);
    const lost = { check: () => Promise.reject(new ChainError("store_locked", "another writes")) };

    const refused = database.transaction(lost, (writer) => writer.insert("item", ["id", "name"], items(2, "a")));

    await assert.rejects(refused, { code: "store_locked" });
    assert.deepEqual(await database.all("SELECT id FROM item"), []);
  });

  test("reads outside a transaction see what is committed, not what is being written", async (t) => {
    const database = await open(t);
    const writing = transact(database, async (writer) => {
      await writer.insert("item", ["id", "name"], items(3, "a"));
      assert.deepEqual(await writer.all("SELECT count(*) FROM item"), [[3]]);
      throw new Error("no");
    });
    const outside = database.all("SELECT count(*) FROM item");

    await assert.rejects(writing, { message: "no" });
    assert.deepEqual(await outside, [[0]]);
  });

  test("a batch of reads sees what is committed, and one that fails does not spoil the next", async (t) => {
    const database = await open(t);
    const ids = () =>
      database.batch(async (reader) => {
        const [all, loaded] = await Promise.all([
          reader.all("SELECT id FROM item ORDER BY id"),
          reader.load("SELECT id FROM item WHERE id IN ($keys)", [2]),
        ]);
        return [all, loaded];
      });

    await transact(database, (writer) => writer.insert("item", ["id", "name"], items(3, "a")));
    await assert.rejects(database.batch((reader) => reader.all("SELECT none FROM item")));
    await assert.rejects(
      database.batch(async () => {
        throw new Error("no");
      }),
      { message: "no" },
    );

    assert.deepEqual(await ids(), [[[0], [1], [2]], [[2]]]);
  });

  test("a writer ends with the work it was made for", async (t) => {
    const kept = await transact(await open(t), async (writer) => writer);

    await assert.rejects(kept.insert("item", ["id", "name"], items(1, "a")), { code: "internal" });
    await assert.rejects(kept.all("SELECT 1"), { code: "internal" });
  });

  test("a snapshot sees one state while another connection commits", async (t) => {
    const directory = temporary(t);
    const writer = await open(t, directory);
    const reader = await databasesAt(tested.at(directory)).open("index", { readOnly: true });
    t.after(() => reader.close());
    const count = async (db: Reader) => (await db.all("SELECT count(*) FROM item"))[0]![0];

    const version = await reader.snapshot(async (snapshot) => {
      assert.equal(await count(snapshot), 0);
      await autocommit(writer).insert("item", ["id", "name"], items(20, "a"));
      assert.equal(await count(snapshot), 0);
      return snapshot.version;
    });

    assert.equal(await count(reader), 20);
    assert.ok((await reader.readVersion()) > version);
    assert.equal(await reader.snapshot(async (snapshot) => snapshot.version), reader.version);
    await assert.rejects(autocommit(reader).run("DELETE FROM item"), { code: "invalid_argument" });
  });

  test("a snapshot ends with the work it was made for", async (t) => {
    const database = await open(t);
    const kept = await database.snapshot(async (snapshot) => snapshot);
    let failed: Snapshot | undefined;
    const failing = database.snapshot(async (snapshot) => {
      failed = snapshot;
      throw new Error("no");
    });

    await assert.rejects(failing, { message: "no" });
    for (const over of [kept, failed!]) {
      await assert.rejects(over.all("SELECT 1"), { code: "internal" });
      await assert.rejects(over.load("SELECT 1 WHERE 1 IN ($keys)", [1]), { code: "internal" });
    }
  });

  test("a backup is a database of its own", async (t) => {
    const directory = temporary(t);
    const database = await open(t, directory);
    const { maintenance } = database;
    if (maintenance === undefined) return t.skip("the engine has its own tools");
    await autocommit(database).insert("item", ["id", "name"], items(300, "a"));
    const backup = () =>
      maintenance.backup(join(directory, "copy.sqlite"), (snapshot) => snapshot.all("SELECT count(*) FROM item"));
    assert.deepEqual(await backup(), [[300]]);
    await assert.rejects(backup(), { code: "invalid_argument" });

    const restored = temporary(t);
    copyFileSync(join(directory, "copy.sqlite"), databasesAt(tested.at(restored)).locate("index"));
    const copy = await open(t, restored);
    assert.deepEqual(await copy.all("SELECT count(*) FROM item"), [[300]]);
  });

  test("a second open for writing is refused until the first is closed; readers are not", async (t) => {
    const directory = temporary(t);
    const first = await openStore(tested.at(directory), 1);
    await assert.rejects(openStore(tested.at(directory), 1), { code: "store_locked" });
    await (await openStoreReadOnly(tested.at(directory))).close();
    await first.close();

    const second = await openStore(tested.at(directory), 1);
    await second.close();
  });

  test("a store that was refused lets go of its lock", async (t) => {
    const directory = temporary(t);
    await (await openStore(tested.at(directory), 1)).close();
    await assert.rejects(openStore(tested.at(directory), 2), { code: "wrong_chain" });

    await (await openStore(tested.at(directory), 1)).close();
  });

  test("the lock of a process that is killed is free", async (t) => {
    const directory = temporary(t);
    const store = new URL("../openStore.ts", import.meta.url);
    const script = `const { openStore } = await import(${JSON.stringify(store.href)});
    const store = await openStore(${JSON.stringify(tested.at(directory))}, 1); console.log("open"); setInterval(() => store, 1000);`;
    const holder = spawn(process.execPath, ["--input-type=module", "-e", script], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const exited = once(holder, "exit");
    t.after(() => holder.kill("SIGKILL"));
    await once(holder.stdout, "data");

    await assert.rejects(openStore(tested.at(directory), 1), { code: "store_locked" });
    holder.kill("SIGKILL");
    await exited;
    await (await openStore(tested.at(directory), 1)).close();
  });

  test("what is cached is of the snapshot's state, whoever changed it", async (t) => {
    const directory = temporary(t);
    const [database, other] = [await open(t, directory), await open(t, directory)];
    const recall = () =>
      database.snapshot(async (snapshot) => snapshot.snapshotCache<string, number>("name").get("key"));
    const remember = () =>
      database.snapshot(async (snapshot) => snapshot.snapshotCache<string, number>("name").set("key", 1));

    await remember();
    assert.equal(await recall(), 1);
    await autocommit(other).run("INSERT INTO item VALUES (1, 'a')");
    assert.equal(await recall(), undefined, "another connection wrote");
    await remember();
    await autocommit(database).insert("item", ["id", "name"], [[2, "b"]]);
    assert.equal(await recall(), undefined, "this connection wrote");
    await remember();
    await transact(database, async (writer) => {
      assert.equal(writer.snapshotCache("name").get("key"), undefined, "a transaction has no cache");
      await writer.remove("item", ["id"], [[2]]);
    });
    assert.equal(await recall(), undefined, "a transaction wrote");
    await remember();
    assert.equal(database.snapshotCache("name").get("key"), undefined, "outside of a snapshot nothing is cached");
    assert.equal(await recall(), 1);
  });
});
