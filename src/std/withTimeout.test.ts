import assert from "node:assert/strict";
import { test } from "node:test";
import { Deadline } from "./deadline.ts";
import { withTimeout } from "./withTimeout.ts";

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

test("work that fails after its time is nobody's unhandled rejection", async () => {
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
