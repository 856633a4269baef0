import assert from "node:assert/strict";
import { test } from "node:test";
import { autocommit } from "../../../test/support/autocommit.ts";
import { describeEngines } from "../../../test/support/engines.ts";
import { Random } from "../../../test/support/random.ts";
import { firstSeed } from "../../../test/support/seed.ts";
import { firstPosition } from "../rows/position.ts";
import { readRowsAt, readTransactionRows } from "./transactionRows.ts";

const SEED = firstSeed();
const CASES = Number(process.env.ORIEL_CASES ?? 200);

describeEngines(({ open }) => {
  test(`the transaction of every position is among the rows, in order and once (seed ${SEED})`, async (t) => {
    const engine = await open();
    t.after(() => engine.close());
    const random = new Random(SEED);
    await autocommit(engine).run(
      `CREATE TABLE tx (position ${engine.dialect.integer} PRIMARY KEY, body ${engine.dialect.bytes})`,
    );
    const stored: number[] = [];
    for (let block = 1; block < 120; block++) {
      let position = firstPosition(block);
      for (let left = random.pick([0, 1, 3, 40, 400]); left > 0; left--) {
        stored.push(position);
        position += 1 + random.int(9);
      }
    }
    await autocommit(engine).insert(
      "tx",
      ["position", "body"],
      stored.map((position) => [position, Buffer.from(String(position))]),
    );
    let between = 0;

    for (let number = 0; number < CASES; number++) {
      const start = random.int(stored.length);
      const step = random.pick([1, 1, 2, 5, 50]);
      const isOfLogs = random.chance(0.5);
      const wanted = new Set<number>();
      for (
        let at = start;
        at < stored.length && wanted.size < random.pick([1, 20, 200, 300]);
        at += 1 + random.int(step)
      ) {
        const room = (stored[at + 1] ?? stored[at]! + 10) - stored[at]!;
        wanted.add(stored[at]! + (isOfLogs ? random.int(Math.min(room, 10)) : 0));
      }
      const positions = [...wanted].sort((a, b) => a - b);

      const rows = await readTransactionRows(engine, positions);

      const keys = rows.map(({ key }) => key);
      assert.deepEqual(
        keys,
        [...new Set(keys)].sort((a, b) => a - b),
      );
      for (const { key, bytes, start: from, end } of rows) {
        assert.equal(Buffer.from(bytes.subarray(from, end)).toString(), String(key));
      }
      const emitters = new Set(positions.map((position) => stored.findLast((one) => one <= position)));
      assert.deepEqual(
        keys.filter((key) => emitters.has(key)),
        [...emitters],
      );
      assert.ok(keys.length <= emitters.size + 2 * positions.length, `${keys.length} rows for ${positions.length}`);
      if (keys.length > emitters.size) between++;
      const exact = await readRowsAt(engine, positions);
      assert.deepEqual(
        exact.map(({ key, bytes, start: from, end }) => [key, Buffer.from(bytes.subarray(from, end)).toString()]),
        positions.filter((position) => emitters.has(position)).map((position) => [position, String(position)]),
      );
    }
    assert.ok(between > 0 && between < CASES, `rows between those that were asked for in ${between} of ${CASES}`);
    assert.deepEqual(await readTransactionRows(engine, []), []);
  });
});
