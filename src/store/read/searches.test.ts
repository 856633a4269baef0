import assert from "node:assert/strict";
import { test } from "node:test";
import { describeEngines } from "../../../test/support/engines.ts";
import { SimulatedChain } from "../../../test/support/simulatedChain.ts";
import { simulatedSource } from "../../../test/support/simulatedSource.ts";
import { watchStatements } from "../../../test/support/watchStatements.ts";
import type { ReadDatabase } from "../engine/database.ts";
import { openStore } from "../openStore.ts";

const BLOCKS = 300;

async function count(database: ReadDatabase, work: () => Promise<unknown>): Promise<number> {
  let statements = 0;
  const unwatch = watchStatements(database, () => statements++);
  await work();
  unwatch();
  return statements;
}

describeEngines((tested) => {
  test("any page of all transactions and the starts of 30 days take a few statements", async (t) => {
    const chain = new SimulatedChain({ seed: 5 });
    chain.mine(BLOCKS);
    const blocks = await simulatedSource(chain).blocks(0, BLOCKS);
    const store = await openStore(tested.memory, chain.chainId);
    t.after(() => store.close());
    await store.append({ head: BLOCKS, blocks: blocks });
    const hashes = blocks.flatMap(({ transactions }) =>
      transactions.map(({ hash }) => Buffer.from(hash).toString("hex")),
    );
    const times = blocks.map((_, i) => Math.max(...blocks.slice(0, i + 1).map(({ header }) => header.timestamp)));

    for (const from of [0, 1, 17, hashes.length >> 1, hashes.length - 3]) {
      let positions: number[] = [];
      const statements = await count(store.database, () =>
        store.read(async ({ blocks, transactions }) => {
          positions = await transactions.all(0, (await blocks.tip())!).slice(from, from + 3);
        }),
      );
      const found = await store.latest.transactions.at(positions);
      assert.deepEqual(
        found.map(({ transaction }) => Buffer.from(transaction.hash).toString("hex")),
        hashes.slice(from, from + 3),
      );
      assert.ok(statements <= 8, `${statements} for a page from ${from}`);
    }

    const target = Array.from({ length: 30 }, (_, i) => times[0]! + Math.floor(((times.at(-1)! - times[0]!) * i) / 28));
    let starts: number[] = [];
    const statements = await count(store.database, () =>
      store.read(async (session) => {
        starts = await session.blocks.firstAfterEach(target, 0, blocks.length);
      }),
    );
    assert.deepEqual(
      starts,
      target.map((time) => times.findIndex((latest) => latest > time)).map((at) => (at < 0 ? blocks.length : at)),
    );
    assert.ok(statements <= 8, `${statements} for 30 days`);
  });
});
