import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "../../test/support/waiting.ts";
import { collectWhenIdle } from "./idleCollection.ts";

test("garbage is collected once the thread is idle", async () => {
  let held: Uint8Array | undefined = new Uint8Array(32 * 1024 * 1024);
  const garbage = new WeakRef(held);
  await new Promise(setImmediate);
  assert.equal(garbage.deref(), held);
  held = undefined;

  collectWhenIdle(20);

  await until("it is collected", () => garbage.deref() === undefined);
});
