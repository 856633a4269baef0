import assert from "node:assert/strict";
import { test } from "node:test";
import type { Json } from "../support/api.ts";
import { serveChain } from "../support/api.ts";
import { plainLedger, plainTransfers } from "../support/plainLedger.ts";
import { Random } from "../support/random.ts";
import { pick } from "../support/restOracle.ts";
import { firstSeed } from "../support/seed.ts";
import type { Site } from "../support/site.ts";
import { openSite, walk } from "../support/site.ts";
import { expectedTransfer } from "../support/tokenOracle.ts";

const SEED = firstSeed();

/** Every transaction's transfers, in its list and in its record, against the chain's own receipts. */
async function expectAll(site: Site, random: Random): Promise<number> {
  const { chain } = site;
  const byTransaction = Map.groupBy(plainTransfers(chain), ({ transaction }) => transaction);
  let max = 0;
  for (let number = 0; number < chain.length; number++) {
    for (const { hash } of chain.at(number)!.block.transactions) {
      const expected = (byTransaction.get(hash) ?? []).map((transfer) => expectedTransfer(transfer, chain));
      const items = await walk(site, `transactions/${hash}/token-transfers`, random.between(1, 9), async (page) => {
        assert.equal(page.total_count, expected.length);
      });
      assert.deepEqual(pick(items, expected), expected, hash);

      const { body } = await site.fetch(`transactions/${hash}`);
      assert.deepEqual(body.token_transfers, items.slice(0, 10), hash);
      assert.equal(body.token_transfers_overflow, expected.length > 10);
      const { items: block } = await site.list(`blocks/${body.block_number}/transactions`, { page_size: 1000 });
      const row = block.find((one) => one.hash === hash);
      assert.deepEqual([row?.token_transfers, row?.token_transfers_overflow], [null, expected.length > 10]);
      max = Math.max(max, expected.length);
    }
  }
  return max;
}

test(`4.1 a transaction has its token transfers in the order of its logs, through reorgs (seed ${SEED})`, async (t) => {
  const random = new Random(SEED);
  const traffic = { addresses: 6, logs: [0, 40] as [number, number] };
  const site = await openSite(t, { seed: SEED, blocks: 20, traffic });
  assert.ok((await expectAll(site, random)) > 10, "some record shows not all");

  for (let round = 0; round < 2; round++) {
    site.chain.fork(random.between(1, 4), random.between(1, 6));
    await site.index();
    await expectAll(site, random);
  }
});

test("a transaction that waits has no transfers, one above the index has none yet, an unknown one is not found", async (t) => {
  const site = await openSite(t, { seed: 61, blocks: 5 });
  const waiting = site.chain.submit();
  const { body } = await site.fetch(`transactions/${waiting}`);
  const list = await site.list(`transactions/${waiting}/token-transfers`);
  site.chain.mine(1);
  const { hash } = site.chain.head.block.transactions[0]!;
  const above = await site.fetch(`transactions/${hash}/token-transfers`);
  const shown = await site.fetch(`transactions/${hash}`);

  assert.deepEqual([body.token_transfers, body.token_transfers_overflow, list.items], [null, null, []]);
  assert.deepEqual([above.status, shown.body.token_transfers], [503, null]);
  assert.match(String(above.body.message), /Block 6 is not indexed. The index is at block 5/);
  assert.equal((await site.fetch(`transactions/0x${"2".repeat(64)}/token-transfers`)).status, 404);
  assert.equal((await site.fetch("transactions/0xzz/token-transfers")).status, 422);
});

test("without tokens a transaction is whole but for its transfers, whose list says why", async () => {
  const served = await serveChain({ seed: 62, blocks: 5 });
  const { hash } = served.chain.at(1)!.block.transactions[0]!;
  const { status, body } = await served.get(`/api/v2/transactions/${hash}`);

  assert.deepEqual([status, body.token_transfers, body.token_transfers_overflow], [200, null, null]);
  assert.equal((await served.get(`/api/v2/transactions/${hash}/token-transfers`)).status, 503);
  await served.close();
});

test("the counters of a token are those of its holders and its transfers", async (t) => {
  const site = await openSite(t, { seed: 63, blocks: 30 });
  for (const [token, { balances, transfers }] of plainLedger(site.chain)) {
    const holders = [...balances.values()].filter((balance) => balance > 0n).length;
    const { body } = await site.fetch(`tokens/${token}/counters`);
    const expected: Json = { token_holders_count: String(holders), transfers_count: String(transfers) };
    assert.deepEqual(body, expected, token);
  }
  assert.equal((await site.fetch(`tokens/0x${"1".repeat(40)}/counters`)).status, 404);
  assert.equal((await site.fetch("tokens/0x1/counters")).status, 422);
});
