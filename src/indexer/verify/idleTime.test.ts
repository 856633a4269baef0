import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { IdleTime, REST, SLICE } from "./idleTime.ts";

const NEVER = new AbortController().signal;

function work(milliseconds: number): void {
  for (const end = performance.now() + milliseconds; performance.now() < end; );
}

test("it rests 199 times as long as it worked", async () => {
  const idle = new IdleTime(NEVER);
  idle.begin(60_000, NEVER);
  await idle.turn();

  for (let slice = 0; slice < 2; slice++) {
    work(SLICE + 1);
    const before = performance.now();
    await idle.turn();
    assert.ok(performance.now() - before >= SLICE * REST);
  }
});

test("it gets no turn while the indexer is busy, and one once it waits", async () => {
  const idle = new IdleTime(NEVER, 0);
  const wakeUp = new AbortController();
  idle.begin(60_000, wakeUp.signal);
  await idle.turn();
  wakeUp.abort();
  let turns = 0;
  const turn = idle.turn().then(() => turns++);
  for (let turn = 0; turn < 20; turn++) await setImmediate();
  assert.equal(turns, 0);

  idle.begin(60_000, NEVER);
  await turn;

  assert.equal(turns, 1);
});

test("waiting for idle time ends with false when verification stops", async () => {
  const stopping = new AbortController();
  const idle = new IdleTime(stopping.signal);
  const turn = idle.turn();

  stopping.abort();

  await assert.rejects(turn, { message: "the indexer stops" });
});

test("who waits for an indexer that stays busy gives up, so that no snapshot is held", async () => {
  const idle = new IdleTime(NEVER, 0, 30);
  const wakeUp = new AbortController();
  idle.begin(60_000, wakeUp.signal);
  await idle.turn();

  wakeUp.abort();

  await assert.rejects(idle.turn(), { code: "store_locked" });
});

test("long work is rested for as well", async () => {
  const idle = new IdleTime(NEVER, 2);
  idle.begin(60_000, NEVER);
  await idle.turn();
  work(100);

  const before = performance.now();
  await idle.turn();

  assert.ok(performance.now() - before >= 190);
});
