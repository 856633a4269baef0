import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { test } from "node:test";
import { transfersOf } from "../src/indexer/events/transfers.ts";
import { Indexer } from "../src/indexer/indexer.ts";
import { STAGES } from "../src/indexer/stages.ts";
import { auditStore } from "../src/store/audit/audit.ts";
import { IN_MEMORY } from "../src/store/engine/databases.ts";
import { openStore } from "../src/store/openStore.ts";
import { auditTokens } from "../src/store/stages/tokens/audit/tokenAudit.ts";
import type { Store } from "../src/store/store.ts";
import { fingerprint } from "./support/fingerprint/fingerprint.ts";
import { temporaryDirectory } from "./support/program.ts";
import { Random } from "./support/random.ts";
import { firstSeed } from "./support/seed.ts";
import { SimulatedChain } from "./support/simulatedChain.ts";
import { simulatedSource } from "./support/simulatedSource.ts";

const CASES = Number(process.env.ORIEL_CASES ?? 1);
const SEED = firstSeed();

/** An index in a directory that can be closed and opened again. */
class Reopened {
  readonly #directory: string;
  readonly #chain: SimulatedChain;
  readonly #tokens: boolean;

  constructor(t: TestContext, chain: SimulatedChain, tokens: boolean) {
    this.#directory = temporaryDirectory(t);
    this.#chain = chain;
    this.#tokens = tokens;
  }

  /** Opens it, takes some rounds or all there are, and closes it. */
  async follow(steps = Number.POSITIVE_INFINITY, whileOpen?: (store: Store) => Promise<void>): Promise<void> {
    const store = await openStore(this.#directory, this.#chain.chainId);
    try {
      await settle(store, this.#chain, this.#tokens, steps);
      await whileOpen?.(store);
    } finally {
      await store.close();
    }
  }
}

async function settle(store: Store, chain: SimulatedChain, tokens: boolean, steps: number): Promise<void> {
  const indexer = new Indexer({ store, source: simulatedSource(chain), stages: tokens ? STAGES : [] });
  for (let step = 0; step < steps && (await indexer.step()) !== "idle"; step++);
}

async function fromScratch(chain: SimulatedChain, tokens: boolean): Promise<string> {
  const store = await openStore(IN_MEMORY, chain.chainId);
  await settle(store, chain, tokens, Number.POSITIVE_INFINITY);
  const print = await store.read(fingerprint);
  await store.close();
  return print;
}

async function trial(t: TestContext, seed: number): Promise<void> {
  const random = new Random(seed);
  const tokens = random.chance(0.7);
  const chain = new SimulatedChain({ seed, traffic: { addresses: 12, logs: [0, 12] } });
  const index = new Reopened(t, chain, tokens);
  for (let round = random.between(2, 5); round > 0; round--) {
    chain.mine(random.between(1, 8));
    await index.follow(random.chance(0.5) ? random.between(1, 2) : undefined, async (store) => {
      if (random.chance(0.5)) return;
      chain.fork(random.between(1, Math.min(6, chain.length - 1)), 7);
      await settle(store, chain, tokens, random.between(1, 3));
    });
    if (random.chance(0.5)) chain.fork(random.between(1, Math.min(6, chain.length - 1)), random.between(6, 8));
  }
  const expected = await fromScratch(chain, tokens);
  await index.follow(undefined, async (store) => {
    assert.equal(await store.read(fingerprint), expected, `seed ${seed}`);
  });
}

test(`${CASES} indexes closed and opened again, with reorgs between, end as from scratch (seed ${SEED})`, async (t) => {
  for (let seed = SEED; seed < SEED + CASES; seed++) await trial(t, seed);
});

/** An opened index learns so many keys with each batch, and trusts what it learnt when it has them all. */
const PART = 10_000;

test("an index of many addresses and holdings, opened again, takes none that it knows for a new one", async (t) => {
  const traffic = { addresses: 15_000, transactions: [40, 40], logs: [10, 20], withdrawals: [0, 0] } as const;
  const chain = new SimulatedChain({ seed: 7, traffic });
  const index = new Reopened(t, chain, true);
  chain.mine(28);
  await index.follow(undefined, async ({ database }) => {
    for (const table of ["address", "holding"]) {
      const [row] = await database.all(`SELECT count(*) FROM ${table}`);
      assert.ok((row![0] as number) > PART, `${row} rows of ${table}`);
    }
  });
  chain.fork(3, 8);
  await index.follow();
  chain.fork(4, 8);

  const expected = await fromScratch(chain, true);
  await index.follow(undefined, async (store) => {
    assert.equal(await store.read(fingerprint), expected);
    assert.deepEqual(
      [...(await store.read(auditStore)), ...(await store.read((session) => auditTokens(session, transfersOf)))],
      [],
    );
  });
});
