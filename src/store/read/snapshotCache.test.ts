import assert from "node:assert/strict";
import { test } from "node:test";
import { describeEngines } from "../../../test/support/engines.ts";
import { loadCached } from "./snapshotCache.ts";

describeEngines((tested) => {
  test("large values are kept for all snapshots of a state, up to twice as many as allowed", async (t) => {
    const database = await tested.open();
    t.after(() => database.close());
    const capacity = 10;
    const found: number[] = [];
    const read = (keys: number[]) =>
      database.snapshot((snapshot) =>
        loadCached(
          snapshot,
          "squares",
          keys,
          async (missing) => {
            found.push(...missing);
            return missing.map((key) => [key, key * key] as const);
          },
          capacity,
        ),
      );
    const keys = Array.from({ length: 100 }, (_, key) => key);

    for (const key of keys) await read([key]);
    const known = await read(keys.toReversed());

    assert.equal(known.size, 100);
    assert.equal(known.get(7), 49);
    const kept = 200 - found.length;
    assert.ok(kept >= capacity && kept <= 2 * capacity, `${kept}`);
  });
});
