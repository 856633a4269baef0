import assert from "node:assert/strict";
import { test } from "node:test";
import { Random } from "../../../test/support/random.ts";
import { firstSeed } from "../../../test/support/seed.ts";
import { KEY_SPACE } from "./keyTable.ts";
import { RunFilter } from "./runFilter.ts";

const random = new Random(firstSeed());
const randomKeys = (count: number) =>
  Array.from({ length: count }, () => random.int(2 ** 26) * 2 ** 26 + random.int(2 ** 26));

for (const count of [1, 300, 30_000, 300_000]) {
  test(`it has all of ${count} keys, at most 1 in 100 others, and takes 1.5 bytes for each`, () => {
    const keys = [...randomKeys(count), 0, KEY_SPACE - 1];
    const filter = new RunFilter(keys.length);
    for (const key of keys) filter.add(key);

    const others = randomKeys(20_000).filter((key) => filter.mayHave(key));

    assert.ok(keys.every((key) => filter.mayHave(key)));
    assert.ok(others.length < 200, `${others.length} of 20,000 others pass`);
    assert.ok(filter.bytes <= keys.length * 1.5 + 32, `${filter.bytes} bytes`);
  });
}
