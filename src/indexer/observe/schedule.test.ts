import assert from "node:assert/strict";
import { test } from "node:test";
import { nextObservation, RARELY, REFRESH, RETRIES } from "./schedule.ts";

test("a token that answers waits for a transfer and some blocks, one that answers nothing for many more", () => {
  assert.deepEqual(nextObservation(100, 0, true), { again: 100 + REFRESH, isRetried: false });
  assert.deepEqual(nextObservation(100, 0, false), { again: 100 + RARELY, isRetried: false });
});

test("what fails is tried again at growing distances, and then left alone", () => {
  const distances = RETRIES.map((_, at) => nextObservation(0, at + 1, true));

  assert.deepEqual(
    distances,
    RETRIES.map((again) => ({ again, isRetried: true })),
  );
  assert.deepEqual(
    [...RETRIES],
    RETRIES.toSorted((a, b) => a - b),
  );
  assert.deepEqual(nextObservation(0, RETRIES.length + 1, true), { again: RARELY, isRetried: false });
  assert.deepEqual(nextObservation(0, RETRIES.length + 9, true), { again: RARELY, isRetried: false });
});
