import assert from "node:assert/strict";
import { stat } from "node:fs/promises";
import { test } from "node:test";
import { setImmediate as nextTurn, setImmediate as turn } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { Random } from "../../test/support/random.ts";
import { firstSeed } from "../../test/support/seed.ts";
import { Deadline, Mutex, mapInTurns, settleAll, sortInTurns, withTimeout } from "./async.ts";

function work(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

test("long work yields to the event loop, and short work does not", async () => {
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

const SEED = firstSeed();

test(`a list is sorted as by the engine, equal items in their order (seed ${SEED})`, async () => {
  const random = new Random(SEED);
  for (const length of [0, 1, 999, 1000, 1001, 2000, 5003, 20_000]) {
    const items = Array.from({ length }, (_, at) => ({ key: random.int(500), at }));
    const before = [...items];
    const compare = (one: { key: number }, other: { key: number }) => one.key - other.key;

    assert.deepEqual(await sortInTurns(items, compare), before.toSorted(compare));
    assert.deepEqual(items, before, "the list itself stays");
  }
});

const never = new Promise<string>(() => {});

test("work that ends in time gives its own result or error", async () => {
  const late = () => assert.fail("time is not up");

  assert.equal(await withTimeout(Promise.resolve(1), 60_000, late), 1);
  await assert.rejects(withTimeout(Promise.reject(new Error("broken")), 60_000, late), /broken/);
});

test("when time is up, the given function answers or throws", async () => {
  const refuse = () => {
    throw new Error("too late");
  };

  assert.equal(await withTimeout(never, 1, () => "instead"), "instead");
  await assert.rejects(withTimeout(never, 1, refuse), /too late/);
});

test("a response that arrived during a stall of the event loop is in time", async () => {
  const reading = stat(import.meta.filename);
  const inTime = withTimeout(reading, 5, () => undefined);
  work(100);

  assert.ok((await inTime)?.isFile());
});

test("work that fails after its timeout is no unhandled rejection", async () => {
  const { promise, reject } = Promise.withResolvers<string>();

  assert.equal(await withTimeout(promise, 1, () => undefined), undefined);
  reject(new Error("nobody listens"));

  await new Promise(setImmediate);
});

test("a deadline is one for all that is awaited, and remembers what was missing", async () => {
  const deadline = new Deadline(1);

  assert.equal(await deadline.wait(Promise.resolve("there")), "there");
  assert.equal(deadline.isMissed, false);
  assert.equal(await deadline.wait(never), undefined);
  assert.equal(deadline.isMissed, true);
});

test("works that are settled together have all ended when the first failure is thrown", async () => {
  let hasEnded = false;
  const slow = async () => {
    await turn();
    hasEnded = true;
  };

  await assert.rejects(settleAll([Promise.reject(new Error("one")), slow(), Promise.reject(new Error("other"))]), {
    message: "one",
  });

  assert.ok(hasEnded);
  assert.deepEqual(await settleAll([Promise.resolve(1), Promise.resolve("two")]), [1, "two"]);
});

test("one piece of work runs at a time, in the order they came, whatever fails", async () => {
  const mutex = new Mutex();
  const seen: string[] = [];
  const work = (name: string, fails = false) =>
    mutex.run(async () => {
      seen.push(`${name} begins`);
      await nextTurn();
      seen.push(`${name} ends`);
      if (fails) throw new Error(name);
      return name;
    });
  const [a, b, c] = [work("a"), work("b", true), work("c")];
  await assert.rejects(b, /b/);
  assert.deepEqual([await a, await c], ["a", "c"]);
  assert.deepEqual(seen, ["a begins", "a ends", "b begins", "b ends", "c begins", "c ends"]);
});

test("idle waits for all work, also where it fails", async () => {
  const mutex = new Mutex();
  let isDone = false;
  const failing = mutex.run(async () => {
    await nextTurn();
    isDone = true;
    throw new Error("no");
  });
  failing.catch(() => {});
  await mutex.idle();
  assert.ok(isDone);
});

test("what work answered is not held", async () => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const mutex = new Mutex();
  const answer = new WeakRef(await mutex.run(async () => ({ large: true })));
  await nextTurn();
  collect();
  assert.equal(answer.deref(), undefined);
  await mutex.idle();
});
