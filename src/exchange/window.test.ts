import assert from "node:assert/strict";
import { test } from "node:test";
import type { QuoteSample } from "./window.ts";
import { lastingQuote } from "./window.ts";

const at = (numerator: bigint, depth: bigint) => ({
  price: { numerator, denominator: 100n },
  depth0: depth,
  depth1: 2n * depth,
});

const sample = (blocks: number, numerator: bigint, depth: bigint): QuoteSample => ({
  blocks,
  quote: at(numerator, depth),
});

test("a pool that did not change is believed as it is", () => {
  assert.deepEqual(lastingQuote([sample(31, 7n, 50n)]), at(7n, 50n));
});

test("depth is the least of all blocks: what was there at both ends alone makes none", () => {
  const { depth0, depth1 } = lastingQuote([sample(1, 7n, 9000n), sample(29, 7n, 3n), sample(1, 7n, 9000n)])!;

  assert.deepEqual([depth0, depth1], [3n, 6n]);
});

test("a price counts once it has lasted for half of the blocks, and two moments of it count nothing", () => {
  const priceOf = (...samples: QuoteSample[]) => lastingQuote(samples)!.price.numerator;

  assert.equal(priceOf(sample(16, 7n, 5n), sample(15, 900n, 5n)), 7n);
  assert.equal(priceOf(sample(15, 7n, 5n), sample(16, 900n, 5n)), 900n);
  assert.equal(priceOf(sample(1, 900n, 5n), sample(29, 7n, 5n), sample(1, 900n, 5n)), 7n);
  assert.equal(priceOf(sample(1, 1n, 5n), sample(29, 7n, 5n), sample(1, 900n, 5n)), 7n);
});

test("a pool that was empty for a block is not believed", () => {
  assert.equal(lastingQuote([sample(20, 7n, 5n), { quote: undefined, blocks: 1 }, sample(10, 7n, 5n)]), undefined);
  assert.equal(lastingQuote([]), undefined);
});
