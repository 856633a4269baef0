import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { Mutex } from "./mutex.ts";

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
