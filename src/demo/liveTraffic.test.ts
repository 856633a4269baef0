import assert from "node:assert/strict";
import { test } from "node:test";
import { LiveTraffic } from "./liveTraffic.ts";

const TRAFFIC_POLICY = { interval: 10, idleTimeout: 100, maxPerDay: 3 };
const MIDNIGHT = Date.UTC(2026, 10, 15);

function traffic(kept: { entry?: string } = {}, makeBlock = async () => true) {
  const errors: unknown[] = [];
  const ledger = {
    read: () => kept.entry,
    write: (entry: string) => {
      kept.entry = entry;
    },
  };
  const onError = (error: unknown) => void errors.push(error);
  return { live: new LiveTraffic({ makeBlock, ledger, policy: TRAFFIC_POLICY, onError }), errors };
}

test("traffic is made only while there are requests, and for a while after", async () => {
  const { live } = traffic();

  assert.equal(await live.tick(MIDNIGHT), false);
  live.noteActivity(MIDNIGHT);
  assert.equal(await live.tick(MIDNIGHT + 1), true);
  assert.equal(await live.tick(MIDNIGHT + 5), false, "too soon after the last");
  assert.equal(await live.tick(MIDNIGHT + 11), true);
  assert.equal(await live.tick(MIDNIGHT + 100), false, "nobody looked for too long");
});

test("a day has its measure, which a restart does not renew", async () => {
  const kept: { entry?: string } = {};
  const first = traffic(kept).live;
  first.noteActivity(MIDNIGHT);
  for (const at of [0, 10]) assert.equal(await first.tick(MIDNIGHT + at), true);

  const second = traffic(kept).live;
  second.noteActivity(MIDNIGHT + 20);

  assert.equal(await second.tick(MIDNIGHT + 20), true);
  assert.equal(await second.tick(MIDNIGHT + 30), false);
  const tomorrow = MIDNIGHT + 86_400_000;
  second.noteActivity(tomorrow);
  assert.equal(await second.tick(tomorrow), true);
});

test("a block that fails is reported, and the next one is made", async () => {
  let count = 0;
  const { live, errors } = traffic({}, async () => {
    if (++count === 1) throw new Error("no");
    return true;
  });
  live.noteActivity(MIDNIGHT);

  assert.equal(await live.tick(MIDNIGHT), false);
  assert.equal(await live.tick(MIDNIGHT + 10), true);
  assert.deepEqual(errors.map(String), ["Error: no"]);
});
