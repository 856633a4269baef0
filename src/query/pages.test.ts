import assert from "node:assert/strict";
import { test } from "node:test";
import { Random } from "../../test/support/random.ts";
import { placePage } from "../api/rest/envelope.ts";
import type { ListCursor, PageRequest } from "../api/rest/params.ts";

const SEED = Number(process.env.ORIEL_SEED ?? Math.floor(Math.random() * 2 ** 31));

const request = (page: number, pageSize: number, anchor?: ListCursor): PageRequest => ({ page, pageSize, anchor });

test("pages cut a list from its newest end", () => {
  assert.deepEqual(placePage(request(1, 3), 7), { from: 4, to: 7, total: 7, next: 2 });
  assert.deepEqual(placePage(request(2, 3), 7), { from: 1, to: 4, total: 7, next: 3 });
  assert.deepEqual(placePage(request(3, 3), 7), { from: 0, to: 1, total: 7, next: null });
  assert.deepEqual(placePage(request(4, 3), 7), { from: 0, to: 0, total: 7, next: null });
  assert.deepEqual(placePage(request(1, 3), 0), { from: 0, to: 0, total: 0, next: null });
  assert.deepEqual(placePage(request(2 ** 53 - 1, 1000), 7), { from: 0, to: 0, total: 7, next: null });
});

test(`a walk sees each entry that was there at its start once, however the list grows or shrinks (seed ${SEED})`, () => {
  for (let seed = SEED; seed < SEED + 2000; seed++) {
    const random = new Random(seed);
    const start = random.int(60);
    const pageSize = random.between(1, 9);
    let count = start;
    let lowest = start;
    let anchor: ListCursor | undefined;
    const seen: number[] = [];
    for (let page: number | null = 1, steps = 0; page !== null; steps++) {
      assert.ok(steps < 100, `seed ${seed} does not end`);
      const window = placePage(request(page, pageSize, anchor), count);
      for (let ordinal = window.to - 1; ordinal >= window.from; ordinal--) seen.push(ordinal);
      anchor ??= { count, block: 0 };
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

test("an anchor above a list that was cut leads to what is left", () => {
  const anchor = { count: 2 ** 53 - 1, block: 1 };
  const first = placePage(request(1, 10, anchor), 5);
  assert.deepEqual([first.from, first.to, first.total], [5, 5, 5]);
  const reached = placePage(request(first.next!, 10, anchor), 5);
  assert.ok(reached.to === 5 && reached.from < 5);
});
