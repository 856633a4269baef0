import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { MeteredDatabase } from "../bench/support/meteredDatabase.ts";
import { REALISTIC, SyntheticBlocks } from "../bench/support/syntheticBlocks.ts";
import { WalIndex } from "../bench/support/walIndex.ts";
import { STAGES } from "../src/indexer/stages.ts";
import { databasesAt } from "../src/store/engine/databases.ts";
import { prepareStore } from "../src/store/openStore.ts";
import { temporaryDirectory } from "./support/program.ts";

/** Small batches stand for a small page cache: 400 transactions at a time against tables of hundreds of pages. */
const SHAPE = { ...REALISTIC, transactions: 20, addresses: 2000, tokens: 200 };
const BATCHES = 40;
const BLOCKS_PER_BATCH = 20;
const TENTH = BATCHES / 10;

interface Cost {
  readonly statements: number;
  readonly pages: number;
}

/** For each batch of a chain indexed from its first block on. */
async function costsOfBatches(directory: string, stages: typeof STAGES): Promise<Cost[]> {
  const database = new MeteredDatabase(await databasesAt(directory).open("index"));
  const store = await prepareStore(database, 677);
  const wal = new WalIndex(join(directory, "index.sqlite"));
  const made = new SyntheticBlocks(1, SHAPE, false);
  const costs: Cost[] = [];
  for (let at = 0; at < BATCHES; at++) {
    const [statements, pages] = [database.spent.statements, wal.frames];
    const blocks = Array.from({ length: BLOCKS_PER_BATCH }, () => made.nextBlock());
    await store.append({ head: 1e6, blocks, stages });
    wal.observe();
    costs.push({ statements: database.spent.statements - statements, pages: wal.frames - pages });
  }
  wal.close();
  await store.close();
  return costs;
}

function growth(costs: readonly Cost[], of: keyof Cost): number {
  const sum = (tenth: number) =>
    costs.slice(tenth * TENTH, (tenth + 1) * TENTH).reduce((all, cost) => all + cost[of], 0);
  return sum(9) / sum(1);
}

for (const [name, stages, maxPages] of [
  ["the core", [], 2.2],
  ["all stages", STAGES, 3.5],
] as const) {
  test(`${name} takes a transaction as many statements late as early, and at most ${maxPages} times the pages`, async (t) => {
    const costs = await costsOfBatches(temporaryDirectory(t), stages);

    const [statements, pages] = [growth(costs, "statements"), growth(costs, "pages")];
    t.diagnostic(`statements ${statements.toFixed(2)}, pages ${pages.toFixed(2)}`);
    assert.ok(statements <= 1.1);
    assert.ok(pages <= maxPages);
  });
}
