import assert from "node:assert/strict";
import { test } from "node:test";
import { eventLoopTurns, manualClock } from "../../../test/support/waiting.ts";
import type { Head, Source } from "../../chain/source.ts";
import { HeadWatch } from "./headWatch.ts";

const headAt = (number: number): Head => ({ number, hash: new Uint8Array(32), timestamp: 0, safe: 0, finalized: 0 });

function watch(head: () => Promise<Head>, options = {}): { watch: HeadWatch; calls: () => number } {
  let calls = 0;
  const counted = async () => {
    calls++;
    return head();
  };
  return { watch: new HeadWatch({ head: counted } as Source, options), calls: () => calls };
}

test("the node is asked once for all who ask at one time and shortly after", async () => {
  const { watch: heads, calls } = watch(async () => headAt(7));
  const found = await Promise.all([heads.current(), heads.current(), heads.current()]);

  assert.deepEqual(
    [...found, await heads.current()].map((head) => head?.number),
    [7, 7, 7, 7],
  );
  assert.equal(calls(), 1);
  assert.equal(heads.known, 7);
});

test("a change of the known height is seen, also if it is the same again", async () => {
  const clock = manualClock();
  const { watch: heads } = watch(async () => headAt(7), { maxAge: 10, knownFor: 20, now: clock.now });
  await heads.current();
  const before = heads.changes;
  assert.equal(heads.changes, before);
  assert.equal(heads.known, 7);
  assert.equal(heads.changes, before);

  clock.advance(20);
  assert.equal(heads.known, undefined);
  await heads.current();
  assert.equal(heads.known, 7);
  assert.notEqual(heads.changes, before);
});

test("an answer is good for a while and then asked for again", async () => {
  const clock = manualClock();
  let number = 1;
  const { watch: heads } = watch(async () => headAt(number++), { maxAge: 20, now: clock.now });
  assert.equal((await heads.current())?.number, 1);
  clock.advance(19);
  assert.equal((await heads.current())?.number, 1);
  clock.advance(1);
  assert.equal((await heads.current())?.number, 2);
});

test("a node that hangs is waited for once, briefly, and its late answer is used", async () => {
  const answer = Promise.withResolvers<Head>();
  const { watch: heads, calls } = watch(() => answer.promise, { deadline: 20, maxAge: 10_000 });
  assert.deepEqual(await Promise.all([heads.current(), heads.current()]), [null, null]);
  assert.equal(await heads.current(), null);
  assert.equal(calls(), 1);

  answer.resolve(headAt(9));
  await eventLoopTurns(1);
  assert.equal((await heads.current())?.number, 9);
});

test("a node that fails has no head, and the last known one is forgotten in time", async () => {
  const clock = manualClock();
  let isDown = false;
  const { watch: heads } = watch(
    async () => {
      if (isDown) throw new Error("down");
      return headAt(5);
    },
    { maxAge: 0, knownFor: 40, now: clock.now },
  );
  await heads.current();
  isDown = true;
  assert.equal(await heads.current(), null);
  assert.equal(heads.known, 5);
  clock.advance(40);
  assert.equal(heads.known, undefined);
});

test("the head of a chain that may go back is known no longer than an answer is good for", async () => {
  const clock = manualClock();
  const source = { head: async () => headAt(5), authoritative: true };
  const heads = new HeadWatch(source as unknown as Source, { maxAge: 20, now: clock.now });
  await heads.current();
  assert.equal(heads.known, 5);

  clock.advance(20);
  assert.equal(heads.known, undefined);
});

test("a new head invalidates the known height and requests in flight", async () => {
  let number = 9;
  let answer = Promise.withResolvers<Head>();
  let notify = () => {};
  const watchHead = (listener: () => void) => {
    notify = listener;
  };
  const source = { head: () => answer.promise, authoritative: true, watch: watchHead };
  const heads = new HeadWatch(source as unknown as Source);
  const early = heads.current();
  notify();
  answer.resolve(headAt(number));
  assert.equal((await early)?.number, 9);
  assert.equal(heads.known, undefined);

  number = 4;
  answer = Promise.withResolvers();
  answer.resolve(headAt(number));
  assert.equal((await heads.current())?.number, 4);
  assert.equal(heads.known, 4);
  notify();
  assert.equal(heads.known, undefined);
});
