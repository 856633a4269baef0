import assert from "node:assert/strict";
import { test } from "node:test";
import { transact } from "../../../../../test/support/autocommit.ts";
import { describeEngines } from "../../../../../test/support/engines.ts";
import { indexTokenNames, observeAll, randomText } from "../../../../../test/support/namedTokens.ts";
import { Random } from "../../../../../test/support/random.ts";
import { firstSeed } from "../../../../../test/support/seed.ts";
import { SimulatedChain } from "../../../../../test/support/simulatedChain.ts";
import { simulatedSource } from "../../../../../test/support/simulatedSource.ts";
import { Indexer } from "../../../../indexer/indexer.ts";
import { STAGES } from "../../../../indexer/stages.ts";
import { AuditReport } from "../../../audit/auditReport.ts";
import type { Reader, Row } from "../../../engine/database.ts";
import { openStore } from "../../../openStore.ts";
import type { Store } from "../../../store.ts";
import { auditTokenNames } from "../audit/nameAudit.ts";

describeEngines((tested) => {
  const SEED = firstSeed();

  const rowsOf = (db: Reader): Promise<Row[]> => db.all("SELECT place, text, token FROM token_name ORDER BY 1, 2, 3");

  /** The table recomputed from observations. */
  async function fromScratch(store: Store): Promise<Row[]> {
    const undo = new Error("undo");
    let rows: Row[] = [];
    const trial = transact(store.database, async (writer) => {
      await writer.run("DELETE FROM token_name");
      await indexTokenNames(writer);
      rows = await rowsOf(writer);
      throw undo;
    });
    await assert.rejects(trial, undo);
    return rows;
  }

  test(`names follow what is observed, forgotten and observed again (seed ${SEED})`, async (t) => {
    const random = new Random(SEED);
    const chain = new SimulatedChain({ seed: SEED, traffic: { logs: [0, 8], honestTokens: 3 } });
    const store = await openStore(tested.memory, chain.chainId);
    t.after(() => store.close());
    const indexer = new Indexer({ store, source: simulatedSource(chain, { authoritative: true }), stages: STAGES });
    const tell = () => ({ name: randomText(random), symbol: random.chance(0.2) ? null : randomText(random, 2) });
    let max = 0;
    for (let round = 0; round < 25; round++) {
      const depth = Math.min(random.int(8), chain.length - 1);
      chain.fork(depth, depth + random.int(4));
      while ((await indexer.step()) !== "idle");
      if (random.chance(0.7)) await observeAll(store, tell, random.pick([0, 5, 1_000_000]));

      const rows = await rowsOf(store.database);
      assert.deepEqual(rows, await fromScratch(store), `round ${round}`);
      max = Math.max(max, rows.length);
    }
    assert.ok(max > 50);

    const report = new AuditReport();
    await auditTokenNames(store.database, report);
    assert.deepEqual(report.problems, []);

    await store.clear();
    assert.deepEqual(await rowsOf(store.database), []);
  });
});
