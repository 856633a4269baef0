import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { IntegerPairs } from "./integerPairs.ts";

const integer = fc.oneof(fc.nat(4), fc.maxSafeNat(), fc.constantFrom(2 ** 31, 2 ** 32, Number.MAX_SAFE_INTEGER));

test("pairs come sorted by the first integer, then by the second", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(integer, integer), { maxLength: 600, size: "max" }), (given) => {
      const pairs = new IntegerPairs();
      for (const [first, second] of given) pairs.add(first, second);

      assert.equal(pairs.length, given.length);
      assert.deepEqual(
        [...pairs.sorted()],
        given.toSorted(([a, b], [c, d]) => a - c || b - d),
      );
    }),
    { numRuns: 60 },
  );
});
