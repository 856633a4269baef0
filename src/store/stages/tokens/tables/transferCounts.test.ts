import assert from "node:assert/strict";
import { test } from "node:test";
import { autocommit } from "../../../../../test/support/autocommit.ts";
import { describeEngines } from "../../../../../test/support/engines.ts";
import { Random } from "../../../../../test/support/random.ts";
import { firstSeed } from "../../../../../test/support/seed.ts";
import type { Row } from "../../../engine/database.ts";
import { ByteWriter } from "../../../rows/encoding.ts";
import { firstPosition, transactionKey } from "../../../rows/position.ts";
import { migrate } from "../../../schema/migrate.ts";
import { MIGRATIONS } from "../../../schema/schema.ts";
import { writeTransfer } from "./transferBody.ts";
import { countTransfers, transfersOfTransaction, writeTransferCounts } from "./transferCounts.ts";

describeEngines((tested) => {
  const SEED = firstSeed();

  function transferRow(block: number, at: number, transactionIndex: number): Row {
    const writer = new ByteWriter(64);
    const ids = { token: 1, from: 2, to: 3, item: 0 };
    writeTransfer(
      { kind: "ERC-20", isWrap: false, logIndex: at, transactionIndex, amount: new Uint8Array(32), ...ids },
      writer,
    );
    return [firstPosition(block) + at, writer.copy()];
  }

  test(`the transfers of transactions are found in blocks of all sizes (seed ${SEED})`, async (t) => {
    const random = new Random(SEED);
    const database = await tested.open();
    t.after(() => database.close());
    await migrate(database, MIGRATIONS);
    const sizes = [12_000, ...Array.from({ length: 60 }, () => random.pick([0, 0, 1, 2, 7, 200]))];
    const blocks = sizes.map((size) => Array.from({ length: size }, () => random.int(300)).sort((a, b) => a - b));
    for (const [block, indexes] of blocks.entries()) {
      const rows = indexes.map((index, at) => transferRow(block, at, index));
      await autocommit(database).insert("transfer", ["position", "body"], rows);
    }
    const places = blocks.flatMap((indexes, block): Row[] => {
      return indexes.length === 0 ? [] : [[block, writeTransferCounts(indexes)]];
    });
    await autocommit(database).insert("transfer_count", ["block", "body"], places);

    for (let round = 0; round < 500; round++) {
      const [block, index] = [random.int(blocks.length + 2), random.int(310)];
      const { from, to } = await transfersOfTransaction(database, block, index);
      const indexes = blocks[block] ?? [];
      assert.equal(to - from, indexes.filter((one) => one === index).length);
      assert.ok(indexes.slice(from, to).every((one) => one === index));
    }
    for (let round = 0; round < 50; round++) {
      const pairs = Array.from(
        { length: random.int(80) },
        () => [random.int(blocks.length + 2), random.int(310)] as const,
      );
      const countOf = ([block, index]: readonly [number, number]) =>
        blocks[block]?.filter((one) => one === index).length ?? 0;
      const having = pairs.filter((pair) => countOf(pair) > 0);
      const found = await countTransfers(
        database,
        pairs.map(([block, index]) => transactionKey(block, index)),
      );
      assert.deepEqual(found, new Map(having.map((pair) => [transactionKey(...pair), countOf(pair)])));
    }
  });
});
