import assert from "node:assert/strict";
import { test } from "node:test";
import { RECHECK, Trust } from "./trust.ts";

test("a node is believed again once what it was blamed for first is over, not an answer to a later call", async (t) => {
  t.mock.method(performance, "now", () => now);
  let [now, isOver] = [0, false];
  const trust = new Trust();
  trust.blame("block 1 fails hash", async () => isOver);
  trust.blame("the receipt is of another block", async () => true);

  now += RECHECK.first;
  await trust.recheck();
  assert.equal(trust.problem, "block 1 fails hash");

  isOver = true;
  now += RECHECK.longest;
  await trust.recheck();
  assert.equal(trust.problem, undefined);
});
