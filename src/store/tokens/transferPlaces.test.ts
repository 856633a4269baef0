import assert from "node:assert/strict";
import { test } from "node:test";
import { Random } from "../../../test/support/random.ts";
import { ByteWriter } from "../encoding.ts";
import type { Row } from "../engine/engine.ts";
import { SqliteEngine } from "../engine/sqlite.ts";
import { migrate } from "../migrations/migrate.ts";
import { firstPosition } from "../position.ts";
import { writeTransfer } from "./transferBody.ts";
import { placeOf, placesWithTransfers } from "./transferPlaces.ts";

const SEED = Number(process.env.ORIEL_SEED ?? Math.floor(Math.random() * 2 ** 31));

function transferRow(block: number, at: number, transactionIndex: number): Row {
  const writer = new ByteWriter(64);
  const ids = { token: 1, from: 2, to: 3, item: 0 };
  writeTransfer({ kind: "ERC-20", logIndex: at, transactionIndex, amount: new Uint8Array(32), ...ids }, writer);
  return [firstPosition(block) + at, writer.copy()];
}

test(`transactions with transfers are told from those without, in any blocks (seed ${SEED})`, async (t) => {
  const random = new Random(SEED);
  const engine = new SqliteEngine({ path: ":memory:" });
  t.after(() => engine.close());
  await migrate(engine);
  const expected = new Set<number>();
  for (let block = 0; block < 60; block++) {
    const indexes = Array.from({ length: random.pick([0, 0, 1, 2, 7, 200]) }, () => random.int(40)).sort(
      (a, b) => a - b,
    );
    await engine.insert(
      "transfer",
      ["position", "body"],
      indexes.map((index, at) => transferRow(block, at, index)),
    );
    for (const index of indexes) expected.add(placeOf(block, index));
  }

  for (let round = 0; round < 50; round++) {
    const places = Array.from({ length: random.int(80) }, () => placeOf(random.int(62), random.int(42)));
    const found = await placesWithTransfers(engine, places);
    assert.deepEqual(found, new Set(places.filter((place) => expected.has(place)).sort((a, b) => a - b)));
  }
});
