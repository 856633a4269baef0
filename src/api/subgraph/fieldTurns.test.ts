import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { Batch } from "./batch.ts";
import { FieldTurns } from "./fieldTurns.ts";

test("a long list is answered in its order, over several turns of the event loop", async () => {
  const items = Array.from({ length: 1000 }, (_, at) => at);
  const answered: number[] = [];
  const inTurn: number[] = [];

  const given = new FieldTurns().spread(items, 20);
  const all = given.map(async (item) => answered.push(await item));
  for (let turn = 0; turn < 12; turn++) {
    await nextTurn();
    inTurn.push(answered.length);
  }
  await Promise.all(all);

  assert.deepEqual(answered, items);
  assert.deepEqual(given.slice(0, 100), items.slice(0, 100));
  assert.ok(inTurn[0]! <= 200, `${inTurn[0]} items in the first turn`);
  assert.ok(new Set(inTurn).size >= 9, inTurn.join(" "));
});

test("short lists inside each other are answered over as many turns as a long one", async () => {
  const turns = new FieldTurns();
  const inTurn: number[] = [];
  let answered = 0;

  const all = turns.spread(Array(200).fill(0), 1).map(async (item) => {
    await item;
    for (const inner of turns.spread(Array(50).fill(0), 4)) {
      await inner;
      answered += 4;
    }
  });
  for (let turn = 0; turn < 40; turn++) {
    const before = answered;
    await nextTurn();
    inTurn.push(answered - before);
  }
  await Promise.all(all);

  assert.equal(answered, 40_000);
  assert.ok(Math.max(...inTurn) <= 4000, inTurn.join(" "));
});

test("keys that are asked for in one turn are read at once, and each only once", async () => {
  const reads: (readonly number[])[] = [];
  const squares = new Batch<number, number>(async (keys) => {
    reads.push(keys);
    return keys.map((key) => key ** 2);
  });

  const first = await Promise.all([3, 4, 3].map((key) => squares.load(key)));
  await squares.loadAll([4, 5, 5]);

  assert.deepEqual(first, [9, 16, 9]);
  assert.deepEqual(reads, [[3, 4], [5]]);
  assert.equal(squares.load(5), 25);
});

test("what cannot be read fails for all who asked", async () => {
  const broken = new Batch<number, number>(async () => {
    throw new Error("no rows");
  });

  const asked = await Promise.allSettled([broken.load(1), broken.load(2), broken.load(1)]);

  assert.deepEqual(
    asked.map(({ status }) => status),
    ["rejected", "rejected", "rejected"],
  );
});
