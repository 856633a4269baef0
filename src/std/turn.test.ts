import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { mapInTurns } from "./turn.ts";

function work(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

test("long work lets others have their turn in its midst, short work does not wait", async () => {
  let others = 0;
  let isDone = false;
  const counting = (async () => {
    for (; !isDone; others++) await turn();
  })();

  const long = await mapInTurns([1, 2, 3, 4, 5, 6], (item) => {
    work(6);
    return item * 2;
  });
  isDone = true;
  await counting;
  let isTurned = false;
  setImmediate(() => {
    isTurned = true;
  });
  const short = await mapInTurns([1, 2, 3], (item, at) => item * at);

  assert.deepEqual([long, short, isTurned], [[2, 4, 6, 8, 10, 12], [0, 2, 6], false]);
  assert.ok(others >= 2, `${others} turns`);
});
