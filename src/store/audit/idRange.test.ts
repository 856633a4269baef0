import assert from "node:assert/strict";
import { test } from "node:test";
import { fc } from "../../../test/support/fastCheck.ts";
import { has, idRanges, rowBounds } from "./idRange.ts";

test("ranges hold every id once, none more than their size, and look at every row once", () => {
  fc.assert(
    fc.property(
      fc.nat(200),
      fc.integer({ min: 1, max: 60 }),
      fc.integer({ min: -300, max: 500 }),
      (highest, size, row) => {
        const ranges = idRanges(highest, size);

        for (let id = 0; id <= highest; id++) assert.equal(ranges.filter((range) => has(range, id)).length, 1);
        assert.ok(ranges.every(({ from, to }) => to - from <= size));
        const covering = ranges.filter((range) => row >= rowBounds(range)[0] && row <= rowBounds(range)[1]);
        assert.equal(covering.length, 1);
      },
    ),
  );
});
