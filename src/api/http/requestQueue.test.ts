import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { HttpError } from "./failure.ts";
import { COSTS } from "./rateLimit.ts";
import { MAX_WAIT, MIN_WAITING, RequestQueue } from "./requestQueue.ts";

function spin(milliseconds: number): void {
  const end = performance.now() + milliseconds;
  while (performance.now() < end);
}

const isRefused = (error: unknown) =>
  error instanceof HttpError && error.statusCode === 503 && error.headers["retry-after"] === "1";

test("a request alone begins at once, and all are done in the order they came", async () => {
  const queue = new RequestQueue();
  const done: number[] = [];
  let hasBegun = false;
  const first = queue.run(COSTS.list, async () => {
    hasBegun = true;
    done.push(0);
  });
  await Promise.resolve();
  assert.ok(hasBegun);
  const others = [1, 2, 3].map((at) => queue.run(COSTS.list, async () => done.push(at)));

  await Promise.all([first, ...others]);

  assert.deepEqual(done, [0, 1, 2, 3]);
});

test("a record does not wait for the lists before it", async () => {
  const queue = new RequestQueue();
  const done: string[] = [];
  const lists = Array.from({ length: 20 }, () => queue.run(COSTS.list, async () => done.push("list")));

  await queue.run(COSTS.record, async () => done.push("record"));

  assert.ok(done.indexOf("record") <= 2, done.join(" "));
  await Promise.all(lists);
});

test("the event loop reads sockets between two lists", async () => {
  const queue = new RequestQueue();
  let [isRunning, turns] = [true, 0];
  const watch = async () => {
    for (; isRunning; turns++) await nextTurn();
  };
  const watching = watch();

  await Promise.all(Array.from({ length: 30 }, () => queue.run(COSTS.list, async () => spin(1))));
  isRunning = false;
  await watching;

  assert.ok(turns >= 29, `${turns} turns`);
});

test("requests that would wait too long are refused at once, and the rest are served", async () => {
  const queue = new RequestQueue();
  const lists = Array.from({ length: MIN_WAITING + 25 }, () => queue.run(COSTS.list, async () => spin(20)));
  await Promise.all(lists.slice(0, 20));

  // More wait than always may, at 20 ms each: longer than allowed.
  assert.ok(queue.isFull(COSTS.list));
  await assert.rejects(
    queue.run(COSTS.list, async () => {}),
    isRefused,
  );
  assert.equal(queue.isFull(COSTS.record), false);
  await queue.run(COSTS.record, async () => {});
  await Promise.all(lists);
  assert.equal(queue.refused, 1);
  assert.equal(queue.isFull(COSTS.list), false);
  await queue.run(COSTS.list, async () => {});
  assert.ok(MAX_WAIT.light < MAX_WAIT.heavy);
});

test("some dozens of slow requests at once are all served", async () => {
  const queue = new RequestQueue();

  const all = Array.from({ length: MIN_WAITING }, () => queue.run(COSTS.list, async () => spin(25)));

  await Promise.all(all);
  assert.equal(queue.refused, 0);
});

test("lists that await something else do not delay other requests, and neither does one that fails", async () => {
  const queue = new RequestQueue();
  const { promise: silence, resolve } = Promise.withResolvers<void>();
  const waiting = Array.from({ length: 100 }, () => queue.run(COSTS.list, () => silence));

  await assert.rejects(
    queue.run(COSTS.list, async () => Promise.reject(new Error("broken"))),
    /broken/,
  );
  await queue.run(COSTS.list, async () => {});

  resolve();
  await Promise.all(waiting);
});
