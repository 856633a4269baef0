import assert from "node:assert/strict";
import { test } from "node:test";
import { Indexer } from "../src/indexer/indexer.ts";
import { STAGES } from "../src/indexer/stages.ts";
import { NO_FENCE } from "../src/store/engine/database.ts";
import { databasesAt, IN_MEMORY } from "../src/store/engine/databases.ts";
import { prepareStore } from "../src/store/openStore.ts";
import { CountingWriteDatabase } from "./support/countingDatabase.ts";
import { firstSeed } from "./support/seed.ts";
import { SimulatedChain } from "./support/simulatedChain.ts";
import { simulatedSource } from "./support/simulatedSource.ts";

const SEED = firstSeed();
const BLOCKS = 150;

/** Blocks after which the indexer starts again and has cached nothing but one block. */
const RESTART = 6;

/** Round trips to the database from a block of the node to its commit. */
const MAX_ROUNDS = 12;

/** In proportion to a block as the default is to a busy one. */
const RUNS = { rows: 64, ratio: 4, piece: 512, paceBase: 16, paceFactor: 6, perCommit: 1024 };

const TRAFFIC = { pools: 8, honestTokens: 4, wrappers: 2, sharedBlobs: 3, transactions: [2, 12] } as const;

test(`a block at the head takes at most ${MAX_ROUNDS} round trips (seed ${SEED})`, async (t) => {
  const chain = new SimulatedChain({ seed: SEED, traffic: TRAFFIC });
  const database = new CountingWriteDatabase(await databasesAt(IN_MEMORY).open("index"));
  t.after(() => database.close());
  const start = async () => {
    const store = await prepareStore(database, chain.chainId, NO_FENCE, RUNS);
    const indexer = new Indexer({ store, source: simulatedSource(chain), stages: STAGES });
    chain.mine(1);
    while ((await indexer.step()) !== "idle");
    return indexer;
  };
  chain.mine(BLOCKS);
  let indexer = await start();
  const counts: number[] = [];
  const problems: string[] = [];
  for (let block = 0; block < BLOCKS; block++) {
    if (block % RESTART === 0) indexer = await start();
    chain.mine(1);
    database.take();
    assert.equal(await indexer.step(), "appended");
    const { rounds } = database.take();
    counts.push(rounds.length);
    if (rounds.length > MAX_ROUNDS)
      problems.push(rounds.map((sent, at) => `${at + 1}: ${sent.join("\n   ")}`).join("\n"));
  }

  t.diagnostic(`${average(counts).toFixed(1)} round trips on average, at most ${Math.max(...counts)}`);
  assert.equal(problems.length, 0, `${problems.length} blocks took more, such as\n${problems.at(-1)}`);
});

const average = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
