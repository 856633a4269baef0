import assert from "node:assert/strict";
import { test } from "node:test";
import { keysetPages } from "./keysetPages.ts";

test("pages have every row once and in order, whatever the size of a page", async () => {
  for (const total of [0, 1, 2, 6, 7, 20]) {
    const rows = Array.from({ length: total }, (_, at) => at * 3);
    for (const size of [1, 2, 3, 7, 20, 100]) {
      const pages = keysetPages<number>(size, async (last, count) =>
        rows.filter((row) => last === undefined || row > last).slice(0, count),
      );

      const found = await Array.fromAsync(pages);

      assert.deepEqual(found.flat(), rows);
      assert.ok(found.every(({ length }, at) => (at < found.length - 1 ? length === size : length > 0)));
    }
  }
});

test("the next page is read when it is asked for, and no page comes after one that is not full", async () => {
  const asked: (number | undefined)[] = [];
  const pages = keysetPages<number>(2, async (last) => {
    asked.push(last);
    return last === undefined ? [1, 2] : [3];
  });

  await pages.next();
  const before = [...asked];
  await Array.fromAsync(pages);

  assert.deepEqual(before, [undefined]);
  assert.deepEqual(asked, [undefined, 2]);
});
