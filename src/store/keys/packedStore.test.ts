import assert from "node:assert/strict";
import { test } from "node:test";
import { fingerprint } from "../../../test/support/fingerprint/fingerprint.ts";
import { SimulatedChain } from "../../../test/support/simulatedChain.ts";
import { simulatedSource } from "../../../test/support/simulatedSource.ts";
import { openWithSmallRuns } from "../../../test/support/smallRuns.ts";
import { STAGES } from "../../indexer/stages.ts";
import { auditStore } from "../audit/audit.ts";
import { IN_MEMORY } from "../engine/databases.ts";
import { openStore } from "../openStore.ts";
import type { Store } from "../store.ts";
import { readRuns } from "./runs.ts";

const TRAFFIC = { transactions: [3, 9], sharedBlobs: 3, miners: 12 } as const;
const PACKED = ["tx_hash", "block_hash", "blob_hash", "address_hash", "signature_hash", "item_hash"];

/** Undo records of all blocks, as on a development chain. */
async function append(store: Store, chain: SimulatedChain, perCommit: number): Promise<void> {
  const from = ((await store.latest.blocks.tip())?.number ?? -1) + 1;
  for (let first = from; first < chain.length; first += perCommit) {
    const blocks = await simulatedSource(chain).blocks(first, Math.min(perCommit, chain.length - first));
    await store.append({ head: chain.head.number, journaled: 10_000, blocks, stages: STAGES });
  }
}

async function expectSame(store: Store, chain: SimulatedChain): Promise<void> {
  const plain = await openStore(IN_MEMORY, chain.chainId);
  await append(plain, chain, 1000);
  assert.deepEqual(await readRuns(plain.database, "tx_hash"), []);
  assert.equal(await store.read(fingerprint), await plain.read(fingerprint));
  await plain.close();
  assert.deepEqual(await store.read(auditStore), []);
  for (const { stage, events } of STAGES) {
    assert.deepEqual(await store.read((session) => stage.audit(session, events)), []);
  }
}

test("a store whose keys are packed has the same answers, and the same after a reorg down to the first block", async () => {
  const chain = new SimulatedChain({ seed: 11, traffic: TRAFFIC });
  const store = await openWithSmallRuns(chain.chainId);
  chain.mine(40);
  await append(store, chain, 2);
  for (const table of PACKED) {
    assert.notDeepEqual(await readRuns(store.database, table), [], `${table} has runs`);
  }
  await expectSame(store, chain);

  chain.fork(chain.length - 1, 45);
  await store.unwind(0);
  assert.equal((await store.latest.blocks.tip())?.number, 0);
  assert.deepEqual(await store.read(auditStore), []);
  await append(store, chain, 3);

  await expectSame(store, chain);
  for (const { transactions } of await simulatedSource(chain).blocks(0, chain.length)) {
    for (const { hash } of transactions) assert.ok(await store.latest.transactions.byHash(hash));
  }
  await store.close();
});

test("an audit finds a packed key that is missing, wrong or too many", async () => {
  const chain = new SimulatedChain({ seed: 12, traffic: TRAFFIC });
  chain.mine(20);
  for (const [damage, problem] of [
    ["DELETE FROM tx_hash_body WHERE id = (SELECT max(id) FROM tx_hash_body)", /is not in tx_hash$/],
    ["UPDATE tx_hash_run SET highest = highest - 1", /is not in tx_hash$/],
    ["UPDATE block_hash_run SET low = high / 2", /is not in block_hash$/],
    ["UPDATE block_hash_run SET width = width / 2", /is not in block_hash$/],
    ["UPDATE address_hash_body SET body = body || body WHERE id = (SELECT max(id) FROM address_hash_body)", /dense/],
    ["UPDATE address_hash_body SET body = substr(body, 1, 16) || x'7f' || substr(body, 18)", /fingerprint of another/],
  ] as const) {
    const store = await openWithSmallRuns(chain.chainId);
    await append(store, chain, 2);
    await store.database.all(damage);
    const problems = await store.read(auditStore);
    assert.ok(
      problems.some((found) => problem.test(found)),
      `${damage}: ${problems[0]}`,
    );
    await store.close();
  }
});
