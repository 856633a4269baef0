import assert from "node:assert/strict";
import { test } from "node:test";
import { autocommit } from "../../../test/support/autocommit.ts";
import { describeEngines } from "../../../test/support/engines.ts";
import { fc, runs } from "../../../test/support/fastCheck.ts";
import type { Database } from "../engine/database.ts";
import type { Codec } from "../rows/codec.ts";
import { migrate } from "../schema/migrate.ts";
import { MIGRATIONS } from "../schema/schema.ts";
import { MutableRows } from "./mutableRows.ts";

describeEngines((tested) => {
  const codec: Codec<number> = { read: (bytes) => bytes[0]!, write: (value) => new Uint8Array([value]) };

  async function openRows() {
    const engine = await tested.open();
    await migrate(engine, MIGRATIONS);
    const rows = new MutableRows("wrapper", codec);
    const content = () => engine.all("SELECT id, value FROM wrapper ORDER BY id");
    return { engine, rows, content };
  }

  type Changes = readonly (readonly [id: number, value: number])[];

  async function apply(
    engine: Database,
    rows: MutableRows<number>,
    blocks: readonly Changes[],
    first: number,
    size: number,
  ) {
    for (let at = 0; at < blocks.length; at += size) {
      for (const [offset, changes] of blocks.slice(at, at + size).entries()) {
        await rows.load(
          engine,
          changes.map(([id]) => id),
        );
        rows.begin(first + at + offset);
        for (const [id, value] of changes) rows.set(id, ((rows.get(id) ?? 0) + value) % 256);
      }
      await rows.flush(autocommit(engine));
    }
  }

  const changes = fc.array(fc.tuple(fc.nat(9), fc.nat(255)), { maxLength: 12 });
  const blocks = fc.array(changes, { maxLength: 8 });

  test("restoring what was applied gives what was before, from any block", async () => {
    await fc.assert(
      fc.asyncProperty(blocks, blocks, fc.integer({ min: 1, max: 4 }), async (before, after, size) => {
        const { engine, rows, content } = await openRows();
        await apply(engine, rows, before, 1, size);
        const expected = await content();
        const first = before.length + 1;
        await apply(engine, rows, after, first, size);

        await rows.restore(autocommit(engine), first);
        assert.deepEqual(await content(), expected);
        await autocommit(engine).run("DELETE FROM journal WHERE block >= ?", first);
        await apply(engine, rows, after, first, size + 1);
        await rows.restore(autocommit(engine), 1);
        assert.deepEqual(await content(), []);
        await engine.close();
      }),
      runs(60),
    );
  });

  test("changes that are final are not journaled, and restoring passes them by", async () => {
    const { engine, rows, content } = await openRows();
    await rows.load(engine, [1]);
    rows.begin(undefined);
    rows.set(1, 7);
    await rows.flush(autocommit(engine));

    assert.deepEqual(await engine.all("SELECT * FROM journal"), []);
    await rows.restore(autocommit(engine), 0);
    assert.deepEqual(await content(), [[1, new Uint8Array([7])]]);
    await engine.close();
  });

  test("what was not flushed is forgotten by a clear", async () => {
    const { engine, rows, content } = await openRows();
    await apply(engine, rows, [[[1, 5]]], 1, 1);
    await rows.load(engine, [1, 2]);
    rows.begin(2);
    rows.set(1, 6);
    rows.set(2, 6);
    rows.clear();
    await rows.flush(autocommit(engine));

    assert.deepEqual(await content(), [[1, new Uint8Array([5])]]);
    assert.equal(rows.get(1), undefined);
    await engine.close();
  });
});
