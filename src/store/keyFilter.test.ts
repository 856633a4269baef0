import assert from "node:assert/strict";
import { test } from "node:test";
import { SqliteEngine } from "./engine/sqlite.ts";
import { KeyedHash } from "./keyedHash.ts";
import { KeyFilter } from "./keyFilter.ts";

const hash = new KeyedHash(KeyedHash.newSecret());
const keys = (count: number, from = 0) =>
  Array.from({ length: count }, (_, at) => hash.key(new Uint8Array(new Uint32Array([from + at]).buffer)));

async function tableOf(rows: readonly number[]) {
  const engine = new SqliteEngine({ path: ":memory:" });
  await engine.run("CREATE TABLE word_hash (prefix INTEGER PRIMARY KEY)");
  await engine.insert(
    "word_hash",
    ["prefix"],
    rows.map((key) => [key]),
  );
  return engine;
}

test("it may have every key until it has learnt all that are there", async () => {
  const engine = await tableOf(keys(25_000));
  const filter = new KeyFilter(1 << 20);
  const unseen = keys(2000, 1_000_000);
  for (let part = 0; part < 2; part++) {
    await filter.learn(engine, "word_hash");
    assert.ok(unseen.every((key) => filter.mayHave(key)));
  }
  await filter.learn(engine, "word_hash");
  assert.ok(keys(25_000).every((key) => filter.mayHave(key)));
  const wrong = unseen.filter((key) => filter.mayHave(key)).length;
  assert.ok(wrong < 20, `${wrong} of ${unseen.length} taken for known`);
  await engine.close();
});

test("keys added while it learns are kept", async () => {
  const engine = await tableOf(keys(10_000));
  const filter = new KeyFilter(1 << 20);
  await filter.learn(engine, "word_hash");
  const added = keys(100, 500_000);
  for (const key of added) filter.add(key);
  await filter.learn(engine, "word_hash");
  assert.ok(added.every((key) => filter.mayHave(key)));
  await engine.close();
});
