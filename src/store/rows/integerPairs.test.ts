import assert from "node:assert/strict";
import { test } from "node:test";
import { fc } from "../../../test/support/fastCheck.ts";
import { IntegerPairs } from "./integerPairs.ts";

const integer = fc.oneof(fc.nat(4), fc.maxSafeNat(), fc.constantFrom(2 ** 31, 2 ** 32, Number.MAX_SAFE_INTEGER));

test("pairs come in the order of the first 32 bits of the first integer, otherwise as they were added", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(integer, integer), { maxLength: 600, size: "max" }), (given) => {
      const pairs = new IntegerPairs();
      for (const [first, second] of given) pairs.add(first, second);

      const max = Math.max(0, ...given.map(([first]) => first));
      const unit = 2 ** Math.max(0, max.toString(2).length - 32);
      const leading = (first: number) => Math.floor(first / unit);
      assert.equal(pairs.length, given.length);
      assert.deepEqual(
        [...pairs.sorted()],
        given.toSorted(([a], [b]) => leading(a) - leading(b)),
      );
    }),
    { numRuns: 60 },
  );
});
