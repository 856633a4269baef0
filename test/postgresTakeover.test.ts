import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { test } from "node:test";
import { Indexer } from "../src/indexer/indexer.ts";
import { AUDITED_STAGES, STAGES } from "../src/indexer/stages.ts";
import { auditStore } from "../src/store/audit/audit.ts";
import { IN_MEMORY } from "../src/store/engine/databases.ts";
import { openStore, openStoreReadOnly } from "../src/store/openStore.ts";
import { fingerprint } from "./support/fingerprint/fingerprint.ts";
import { get } from "./support/program.ts";
import type { Random } from "./support/random.ts";
import { firstSeed } from "./support/seed.ts";
import { simulatedSource } from "./support/simulatedSource.ts";
import type { Fault } from "./support/takeoverCampaign.ts";
import { CITUS, TakeoverCampaign, WRITER_FAULTS } from "./support/takeoverCampaign.ts";
import { until } from "./support/waiting.ts";

/** How many faults of writers; undefined without a campaign. */
const TAKEOVERS = process.env.ORIEL_TAKEOVERS;
const PGBOUNCER = process.env.ORIEL_PGBOUNCER;
const SEED = firstSeed();

/** Seconds within which another process writes. */
const MAX_TAKEOVER = 10;

/** Without a campaign, what other tests do not do. */
const DEFAULT_FAULTS: readonly Fault[] = ["hang", "terminate", "restart"];

/** For each 20 faults of writers, 3 restarts of the server and a promotion of its replica, in any order. */
function faultsOf(takeovers: number, random: Random): Fault[] {
  const faults = Array.from({ length: takeovers }, (): Fault => random.pick(WRITER_FAULTS));
  const of = (fault: Fault, count: number) => Array.from({ length: Math.round(count) }, () => fault);
  return random.shuffle([
    ...faults,
    ...of("restart", takeovers * 0.15),
    ...of("promote", CITUS === undefined ? takeovers * 0.05 : 0),
  ]);
}

async function expectFromScratch(t: TestContext, { store: url, chain }: TakeoverCampaign): Promise<void> {
  const [store, fresh] = [await openStoreReadOnly(url), await openStore(IN_MEMORY, chain.chainId)];
  t.after(() => Promise.all([store.close(), fresh.close()]));
  const indexer = new Indexer({ store: fresh, source: simulatedSource(chain), stages: STAGES });
  while ((await indexer.step()) !== "idle");
  assert.deepEqual(await store.latest.stages(), await fresh.latest.stages());
  assert.deepEqual(await store.read(auditStore), []);
  for (const { stage, events } of AUDITED_STAGES) {
    assert.deepEqual(await store.read((session) => stage.audit(session, events)), []);
  }
  assert.deepEqual(await store.read(fingerprint), await fresh.read(fingerprint));
}

/** One writes, and the others stand by. */
async function expectRoles({ indexers }: TakeoverCampaign): Promise<void> {
  await until("one writes and the others stand by", async () => {
    const bodies = await Promise.all(indexers.map(async (url) => (await get(`${url}/status`)).body));
    const roles = bodies.map(({ process: own }) => (own as { role: string }).role).sort();
    return roles.at(-1) === "writer" && roles.slice(0, -1).every((role) => role === "standby");
  });
}

test(`${TAKEOVERS ?? DEFAULT_FAULTS.length} faults of indexers and their database: another takes over, and the index is the same as from scratch (seed ${SEED})`, async (t) => {
  const campaign = await TakeoverCampaign.open(t, SEED, PGBOUNCER);
  const { chain, random } = campaign;
  const faults = TAKEOVERS === undefined ? DEFAULT_FAULTS : faultsOf(Number(TAKEOVERS), random);
  for (let count = 0; count < (faults.length > 10 ? 3 : 2); count++) await campaign.addIndexer();
  const url = await campaign.serve();
  const asked = campaign.ask(url);
  const isAtHead = async () => {
    const { body, status } = await get(`${url}/status`);
    return status === 200 && (body.indexed as { hash: string } | null)?.hash === chain.head.hash;
  };
  try {
    for (const [at, fault] of faults.entries()) {
      await campaign.live(random.between(20, 1000));
      if (TAKEOVERS !== undefined) console.log(`fault ${at + 1} of ${faults.length}: ${fault}`);
      await campaign.inflict(fault);
      if (random.chance(0.3) || at === faults.length - 1) await until("the head is indexed", isAtHead, 60);
    }
    await expectRoles(campaign);
  } catch (error) {
    console.log(await campaign.describe());
    throw error;
  } finally {
    campaign.end();
    await asked;
  }

  const counts = Object.entries(Object.groupBy(faults, (fault) => fault)).map(
    ([fault, all]) => `${all.length} ${fault}`,
  );
  const slowest = Math.max(0, ...campaign.takeovers);
  t.diagnostic(
    `${counts}; ${campaign.takeovers.length} takeovers, the slowest ${slowest.toFixed(1)} s; the slowest write after a fault ${Math.max(...campaign.recoveries).toFixed(1)} s; ${chain.length} blocks; answers ${[...campaign.answers].map(([answer, count]) => `${answer}: ${count}`)}`,
  );
  assert.ok(slowest < MAX_TAKEOVER, `${slowest} s`);
  for (const answer of campaign.answers.keys()) assert.match(answer, /^(200|503 after [1-9]\d*)$/);
  await expectFromScratch(t, campaign);
});
