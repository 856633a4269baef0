import assert from "node:assert/strict";
import { test } from "node:test";
import { Random } from "../../test/support/random.ts";
import { firstSeed } from "../../test/support/seed.ts";
import type { ListCursor, PageRequest } from "./pages.ts";
import { pageWindow } from "./pages.ts";

const SEED = firstSeed();

const request = (page: number, pageSize: number, cursor?: ListCursor): PageRequest => ({ page, pageSize, cursor });

test("pages cut a list from its newest end", () => {
  assert.deepEqual(pageWindow(request(1, 3), 7), { from: 4, to: 7, total: 7, next: 2 });
  assert.deepEqual(pageWindow(request(2, 3), 7), { from: 1, to: 4, total: 7, next: 3 });
  assert.deepEqual(pageWindow(request(3, 3), 7), { from: 0, to: 1, total: 7, next: null });
  assert.deepEqual(pageWindow(request(4, 3), 7), { from: 0, to: 0, total: 7, next: null });
  assert.deepEqual(pageWindow(request(1, 3), 0), { from: 0, to: 0, total: 0, next: null });
  assert.deepEqual(pageWindow(request(2 ** 53 - 1, 1000), 7), { from: 0, to: 0, total: 7, next: null });
});

test(`a walk sees each entry that was there at its start once, however the list grows or shrinks (seed ${SEED})`, () => {
  for (let seed = SEED; seed < SEED + 2000; seed++) {
    const random = new Random(seed);
    const start = random.int(60);
    const pageSize = random.between(1, 9);
    let count = start;
    let lowest = start;
    let cursor: ListCursor | undefined;
    const seen: number[] = [];
    for (let page: number | null = 1, steps = 0; page !== null; steps++) {
      assert.ok(steps < 100, `seed ${seed} does not end`);
      const window = pageWindow(request(page, pageSize, cursor), count);
      for (let ordinal = window.to - 1; ordinal >= window.from; ordinal--) seen.push(ordinal);
      cursor ??= { count, block: 0 };
      page = window.next;
      count = Math.max(0, count + random.between(-2, 4));
      lowest = Math.min(lowest, count);
    }

    assert.equal(new Set(seen).size, seen.length, `seed ${seed}`);
    const below = seen.filter((ordinal) => ordinal < lowest);
    assert.deepEqual(
      below,
      Array.from({ length: lowest }, (_, at) => lowest - 1 - at),
      `seed ${seed}`,
    );
    assert.ok(
      seen.every((ordinal) => ordinal < start),
      `seed ${seed}`,
    );
  }
});

test("a cursor above a list that was cut leads to what is left", () => {
  const cursor = { count: 2 ** 53 - 1, block: 1 };
  const first = pageWindow(request(1, 10, cursor), 5);
  assert.deepEqual([first.from, first.to, first.total], [5, 5, 5]);
  const reached = pageWindow(request(first.next!, 10, cursor), 5);
  assert.ok(reached.to === 5 && reached.from < 5);
});
