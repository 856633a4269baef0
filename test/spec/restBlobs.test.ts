import assert from "node:assert/strict";
import { test } from "node:test";
import { serveChain } from "../support/api.ts";
import { Random } from "../support/random.ts";
import { firstSeed } from "../support/seed.ts";
import type { SimulatedChain } from "../support/simulatedChain.ts";
import { openSite } from "../support/site.ts";

const SEED = firstSeed();

interface Naming {
  readonly hash: string;
  readonly timestamp: string;
}

/** The transactions that name each blob, newest first, by the chain's own blocks. */
function namingOf(chain: SimulatedChain): Map<string, Naming[]> {
  const found = new Map<string, Naming[]>();
  for (let number = 0; number < chain.length; number++) {
    const { block } = chain.at(number)!;
    const timestamp = `${new Date(Number(block.timestamp) * 1000).toISOString().slice(0, -1)}000Z`;
    for (const tx of block.transactions) {
      for (const name of new Set((tx.blobVersionedHashes ?? []) as string[])) {
        found.set(name, [{ hash: tx.hash, timestamp }, ...(found.get(name) ?? [])]);
      }
    }
  }
  return found;
}

test(`a blob is found with the transactions that name it, through reorgs (seed ${SEED})`, async (t) => {
  const random = new Random(SEED);
  const site = await openSite(t, { seed: SEED, blocks: 30, traffic: { sharedBlobs: 40 } });
  const { chain } = site;
  const seen = new Set<string>();
  for (let round = 0; round < 4; round++) {
    const naming = namingOf(chain);
    for (const name of naming.keys()) seen.add(name);
    assert.ok(naming.size > 0);
    for (const name of seen) {
      const expected = naming.get(name);
      const { status, body } = await site.fetch(`blobs/${name.toUpperCase().replace("X", "x")}`);
      const found = (await site.list(`search?q=${name}`)).items;
      const redirect = (await site.fetch(`search/check-redirect?q=${name.slice(2)}`)).body;
      if (expected === undefined) {
        assert.deepEqual([status, found, redirect.redirect], [404, [], false], name);
        continue;
      }
      assert.deepEqual(body, {
        hash: name,
        blob_data: null,
        kzg_commitment: null,
        kzg_proof: null,
        transaction_hashes: expected.map(({ hash }) => ({ block_consensus: true, transaction_hash: hash })),
      });
      assert.deepEqual(found, [{ type: "blob", blob_hash: name, timestamp: expected[0]!.timestamp, priority: 0 }]);
      assert.deepEqual((await site.fetch(`search/quick?q=${name}`)).body, found);
      assert.deepEqual(redirect, { redirect: true, type: "blob", parameter: name });
    }
    chain.fork(Math.min(random.between(1, 20), chain.length - 1), random.between(1, 22));
    await site.index();
  }
});

test("a blob that only waiting or unindexed transactions name is not found, nor what is no versioned hash", async (t) => {
  const site = await openSite(t, { seed: 83, blocks: 10 });
  const indexed = namingOf(site.chain);
  const waiting = Array.from({ length: 40 }, () => site.chain.transactionByHash(site.chain.submit())!);
  site.chain.mine(10);
  const others = [
    ...waiting.flatMap((tx) => (tx.blobVersionedHashes ?? []) as string[]),
    ...[...namingOf(site.chain).keys()].filter((name) => !indexed.has(name)),
    `0x${"11".repeat(32)}`,
  ];

  for (const name of others) assert.equal((await site.fetch(`blobs/${name}`)).status, 404, name);
  for (const text of ["1", "0x", `0x${"1".repeat(63)}`, `0x${"g".repeat(64)}`, `0x${"1".repeat(66)}`])
    assert.equal((await site.fetch(`blobs/${text}`)).status, 422, text);
});

test("blobs with equal hash prefixes are distinguished, and a blob is read again for every request", async (t) => {
  const served = await serveChain({ seed: 84, blocks: 30 });
  t.after(() => served.close());
  const [name] = namingOf(served.chain).keys();
  const other = `${name!.slice(0, -1)}${name!.endsWith("0") ? "1" : "0"}`;

  assert.equal((await served.get(`/api/v2/blobs/${other}`)).status, 404);
  const { status, headers } = await served.get(`/api/v2/blobs/${name}`);
  assert.deepEqual([status, headers["cache-control"]], [200, "no-cache"]);
});

test("a blob that very many transactions name lists the newest hundred", async (t) => {
  const served = await serveChain({ seed: 85, traffic: { sharedBlobs: 1, transactions: [40, 40] } });
  t.after(() => served.close());
  served.chain.mine(40);
  await served.index();
  const [[name, naming]] = namingOf(served.chain) as unknown as [[string, Naming[]]];
  assert.ok(naming.length > 100, String(naming.length));

  const listed = (await served.get(`/api/v2/blobs/${name}`)).body.transaction_hashes as { transaction_hash: string }[];

  assert.deepEqual(
    listed.map(({ transaction_hash }) => transaction_hash),
    naming.slice(0, 100).map(({ hash }) => hash),
  );
});
