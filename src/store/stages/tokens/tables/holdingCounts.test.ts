import assert from "node:assert/strict";
import { test } from "node:test";
import { Random } from "../../../../../test/support/random.ts";
import { firstSeed } from "../../../../../test/support/seed.ts";
import { HoldingCounts } from "./holdingCounts.ts";

test("no address is said to have fewer holdings than were added", (t) => {
  const seed = firstSeed();
  t.diagnostic(`seed ${seed}`);
  const random = new Random(seed);
  const counts = new HoldingCounts();
  const exact = new Map<number, number>();
  for (let at = 0; at < 20_000; at++) {
    const address = random.int(3000) * (random.chance(0.5) ? 1 : 1_400_000);
    exact.set(address, (exact.get(address) ?? 0) + 1);
    counts.add(address);
  }

  for (const [address, count] of exact) assert.ok(counts.mayExceed(address, count - 1), `${address} has ${count}`);
});

test("an address has its own count, which ends at 255", () => {
  const counts = new HoldingCounts();

  for (let time = 0; time < 1000; time++) counts.add(7);
  counts.add(8);

  assert.deepEqual(
    [8, 254].map((limit) => counts.mayExceed(7, limit)),
    [true, true],
  );
  assert.deepEqual(
    [0, 1].map((limit) => counts.mayExceed(8, limit)),
    [true, false],
  );
});
