import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "../../test/support/waiting.ts";
import { collectWhenIdle } from "./idleCollection.ts";

test("garbage is collected once the thread is idle", async () => {
  const garbage = () => new WeakRef(new Uint8Array(32 * 1024 * 1024));
  const before = garbage();
  await new Promise(setImmediate);
  assert.ok(before.deref() !== undefined);

  collectWhenIdle(20);

  await until("it is collected", () => before.deref() === undefined);
});
