import assert from "node:assert/strict";
import { test } from "node:test";
import { manualClock } from "../../../../test/support/waiting.ts";
import { MAX_REPLICA_LAG, ReplicaGuard } from "./replicaGuard.ts";
import { VersionFeed } from "./versionFeed.ts";

function openGuard() {
  const primary = new VersionFeed({ schema: "s", open: () => Promise.reject(new Error("none")), isPolled: false });
  const clock = manualClock();
  return { primary, clock, guard: new ReplicaGuard(primary, clock.now) };
}

const UNAVAILABLE = { code: "store_unavailable" };

test("a replica may be behind its primary for a while, and no longer", () => {
  const { primary, clock, guard } = openGuard();
  primary.observe(10);
  clock.advance(MAX_REPLICA_LAG);
  guard.check(9);
  primary.observe(11);
  clock.advance(1);
  assert.throws(() => guard.check(9), UNAVAILABLE);
  guard.check(10);
  clock.advance(MAX_REPLICA_LAG);
  assert.throws(() => guard.check(10), UNAVAILABLE);
  guard.check(11);
  clock.advance(10 * MAX_REPLICA_LAG);
  guard.check(11);
});

test("no state is older than one before, unless the primary has lost that one", () => {
  const { primary, guard } = openGuard();
  guard.check(20);
  assert.throws(() => guard.check(19), UNAVAILABLE);
  primary.reset(18);
  guard.check(18);
  guard.check(19);
});
