import assert from "node:assert/strict";
import { constants, PerformanceObserver } from "node:perf_hooks";
import { test } from "node:test";
import { until } from "../../test/support/waiting.ts";
import { collectWhenIdle } from "./idleCollection.ts";

/** Counts collections that were asked for; those of V8 itself are not. */
function countForced() {
  let count = 0;
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      const { detail } = entry as unknown as { readonly detail: { readonly flags: number } };
      if ((detail.flags & constants.NODE_PERFORMANCE_GC_FLAGS_FORCED) !== 0) count++;
    }
  });
  observer.observe({ entryTypes: ["gc"] });
  return { count: () => count, end: () => observer.disconnect() };
}

test("a collection that takes too long is the last", async (t) => {
  const forced = countForced();
  t.after(forced.end);
  const garbage = () => new Uint8Array(32 * 1024 * 1024).fill(1).length;
  garbage();
  collectWhenIdle(20, 0);
  await until("a collection is asked for", () => forced.count() > 0);

  garbage();
  let looks = 0;
  await until("an idle thread was looked at again", () => ++looks > 5);

  assert.equal(forced.count(), 1);
});

test("garbage is collected once the thread is idle", async (t) => {
  const forced = countForced();
  t.after(forced.end);
  const garbage = new WeakRef(new Uint8Array(32 * 1024 * 1024));
  assert.equal(forced.count(), 0);

  collectWhenIdle(20);

  await until("a collection is asked for", () => forced.count() > 0);
  assert.equal(garbage.deref(), undefined);
});
