import assert from "node:assert/strict";
import { test } from "node:test";
import { SCALE } from "./prices.ts";
import type { Side } from "./value.ts";
import { anchorsHeld, valueLocked, valueTraded } from "./value.ts";

const anchor: Side = { isAnchor: true, price: { value: SCALE, depth: undefined, hops: 0 } };
const derived = (dollars: bigint, depth: bigint): Side => ({
  isAnchor: false,
  price: { value: dollars * SCALE, depth: depth * SCALE, hops: 1 },
});
const unpriced: Side = { isAnchor: false, price: undefined };

test("of two anchors both sides count, of one at most as much as it again", () => {
  const held = { balance0: 100n, balance1: 300n };

  assert.equal(valueLocked("v2", held, [anchor, anchor]), 400n * SCALE);
  assert.equal(valueLocked("v2", held, [anchor, derived(10n ** 30n, 1000n)]), 200n * SCALE);
  assert.equal(valueLocked("v2", held, [unpriced, anchor]), 600n * SCALE, "reserves are worth the same on both sides");
  assert.equal(valueLocked("volatile", held, [unpriced, anchor]), 600n * SCALE);
  assert.equal(valueLocked("stable", held, [unpriced, anchor]), 300n * SCALE, "those of a stable curve are not");
  assert.equal(valueLocked("v3", held, [anchor, derived(1n, 1000n)]), 200n * SCALE);
  assert.equal(valueLocked("v3", held, [derived(1n, 1000n), anchor]), 400n * SCALE);
  assert.equal(valueLocked("v3", held, [unpriced, anchor]), 300n * SCALE);
});

test("without an anchor nothing counts, whatever the prices", () => {
  const held = { balance0: 100n, balance1: 300n };

  assert.equal(valueLocked("v2", held, [derived(2n, 1000n), derived(1n, 1000n)]), 0n);
  assert.equal(valueLocked("v3", held, [derived(10n ** 30n, 1000n), derived(10n ** 30n, 2000n)]), 0n);
});

test("of the money in a pool its anchors count, each once", () => {
  const held = { balance0: 100n, balance1: 300n };

  assert.equal(anchorsHeld(held, [anchor, anchor]), 400n * SCALE);
  assert.equal(anchorsHeld(held, [anchor, derived(10n ** 30n, 1000n)]), 100n * SCALE);
  assert.equal(anchorsHeld(held, [unpriced, anchor]), 300n * SCALE);
  assert.equal(anchorsHeld(held, [derived(5n, 1n), unpriced]), 0n);
});

test("trade counts by the mean of two anchors, by one anchor alone, and without any not at all", () => {
  assert.equal(valueTraded(100n, 300n, [anchor, anchor]), 200n * SCALE);
  assert.equal(valueTraded(100n, 300n, [anchor, derived(10n ** 30n, 1n)]), 100n * SCALE);
  assert.equal(valueTraded(100n, 300n, [unpriced, anchor]), 300n * SCALE);
  assert.equal(valueTraded(100n, 300n, [derived(5n, 1n), derived(1n, 1n)]), 0n);
  assert.equal(valueTraded(100n, 300n, [derived(5n, 1n), unpriced]), 0n);
});
