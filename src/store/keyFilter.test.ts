import assert from "node:assert/strict";
import { test } from "node:test";
import { KeyedHash } from "./keyedHash.ts";
import { KeyFilter } from "./keyFilter.ts";

const hash = new KeyedHash(KeyedHash.newSecret());
const keys = (count: number, from = 0) =>
  Array.from({ length: count }, (_, at) => hash.keyOfWords(Int32Array.of(from + at), 0, 1));

test("it may have every key until it has been told all that are there", () => {
  const filter = new KeyFilter(1 << 20);
  for (const key of keys(25_000)) filter.add(key);
  const unseen = keys(2000, 1_000_000);
  assert.ok(unseen.every((key) => filter.mayHave(key)));

  filter.isComplete = true;

  assert.ok(keys(25_000).every((key) => filter.mayHave(key)));
  const wrong = unseen.filter((key) => filter.mayHave(key)).length;
  assert.ok(wrong < 20, `${wrong} of ${unseen.length} taken for known`);
});
