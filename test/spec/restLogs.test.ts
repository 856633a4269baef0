import assert from "node:assert/strict";
import { test } from "node:test";
import type { Json } from "../support/api.ts";
import { serveChain } from "../support/api.ts";
import type { PlainLog } from "../support/plainLogs.ts";
import { plainLogs } from "../support/plainLogs.ts";
import { Random } from "../support/random.ts";
import { pick } from "../support/restOracle.ts";
import { firstSeed } from "../support/seed.ts";
import type { SimulatedChain } from "../support/simulatedChain.ts";
import { openSite, walk } from "../support/site.ts";

const SEED = firstSeed();

const emittersIn = (chain: SimulatedChain) => [...new Set(plainLogs(chain).map(({ address }) => address))];
const logsOf = (chain: SimulatedChain, address: string, since = 0) =>
  plainLogs(chain, since)
    .filter((log) => log.address === address)
    .reverse();

function expectLogs(answer: readonly Json[], expected: readonly PlainLog[], message: string): void {
  assert.deepEqual(pick(answer, expected), expected, message);
}

test(`4.1 /addresses/{address}/logs has every log of a contract, newest first, in pages (seed ${SEED})`, async (t) => {
  const random = new Random(SEED);
  const site = await openSite(t, {
    seed: SEED,
    blocks: 50,
    fromBlock: 5,
    traffic: { addresses: 8, extraFields: true },
  });
  const emitters = emittersIn(site.chain);
  assert.ok(emitters.length > 3);

  for (const address of emitters) {
    const expected = logsOf(site.chain, address, 5);
    const path = `addresses/${address}/logs`;
    const { items, ...envelope } = await site.list(path, { page_size: 3 });

    expectLogs(items, expected.slice(0, 3), `seed ${SEED} ${address}`);
    const anchor = envelope.next_page_params?.anchor;
    if (anchor !== undefined) {
      assert.match(String(anchor), new RegExp(`^${expected.length}-${site.chain.head.number}-3-\\d+$`));
    }
    assert.deepEqual(envelope, {
      page: 1,
      page_size: 3,
      total_pages: Math.ceil(expected.length / 3),
      total_count: expected.length,
      next_page_params: expected.length > 3 ? { page: 2, page_size: 3, anchor: anchor! } : null,
      block_number: site.chain.head.number,
      since_block: 5,
    });
    expectLogs(await walk(site, path, random.between(1, 30)), expected, `seed ${SEED} ${address}`);
  }
});

test(`4.1 /transactions/{hash}/logs has the logs of a transaction by index (seed ${SEED})`, async (t) => {
  const random = new Random(SEED);
  const site = await openSite(t, { seed: SEED, blocks: 30, traffic: { addresses: 8 } });
  const byTransaction = Map.groupBy(plainLogs(site.chain), (log) => log.transaction_hash);

  for (let number = 0; number < site.chain.length; number++) {
    for (const { hash } of site.chain.at(number)!.block.transactions) {
      const expected = byTransaction.get(hash) ?? [];
      const path = `transactions/${hash}/logs`;
      const whole = await site.list(path);

      expectLogs(whole.items, expected, `seed ${SEED} ${hash}`);
      assert.deepEqual([whole.total_count, whole.next_page_params], [expected.length, null]);
      expectLogs(await walk(site, path, random.between(1, 3)), expected, `seed ${SEED} ${hash}`);
      assert.deepEqual((await site.list(path, { page: 99 })).items, []);
    }
  }
});

test("logs beyond the index are read through the node and have the same form", async (t) => {
  const site = await openSite(t, { seed: 31, blocks: 5, fromBlock: 3 });
  site.chain.mine(5);
  const hashes = [...new Set(plainLogs(site.chain).map((log) => log.transaction_hash))];
  const ask = (hash: string) => site.list(`transactions/${hash}/logs`, { page: 2, page_size: 1 });
  const before = await Promise.all(hashes.map(ask));

  await site.index();

  for (const [at, hash] of hashes.entries()) {
    const { items, total_count } = await ask(hash);
    const shown = (logs: Json[]) => logs.map((log) => ({ ...log, address: null, smart_contract: null }));
    assert.deepEqual([shown(items), total_count], [shown(before[at]!.items), before[at]!.total_count], hash);
  }
});

test("a pending transaction has no logs, an unknown one is not found, an unknown contract has none", async (t) => {
  const site = await openSite(t, { seed: 32, blocks: 5 });
  const waiting = await site.list(`transactions/${site.chain.submit()}/logs`);
  const unusedAddress = await site.list(`addresses/0x${"0".repeat(38)}ff/logs?unknown=0x12`);

  assert.deepEqual([waiting.items, waiting.total_count], [[], 0]);
  assert.deepEqual([unusedAddress.items, unusedAddress.total_count, unusedAddress.block_number], [[], 0, 5]);
  for (const path of [`transactions/0x${"2".repeat(64)}/logs`]) assert.equal((await site.fetch(path)).status, 404);
  for (const path of ["transactions/0x12/logs", `addresses/0x${"1".repeat(41)}/logs`, "addresses/x/logs?page=0"]) {
    assert.equal((await site.fetch(path)).status, 422, path);
  }
});

test("before anything is indexed there are no logs", async () => {
  const served = await serveChain({ seed: 33, source: () => undefined });
  const { body } = await served.get(`/api/v2/addresses/0x${"1".repeat(40)}/logs`);
  assert.deepEqual([body.items, body.total_pages, body.block_number], [[], 0, null]);
  assert.equal((await served.get(`/api/v2/transactions/0x${"1".repeat(64)}/logs`)).status, 404);
  await served.close();
});
