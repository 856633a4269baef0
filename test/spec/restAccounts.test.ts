import assert from "node:assert/strict";
import { test } from "node:test";
import { formatEther } from "ethers";
import { sortAccounts } from "../../src/query/accounts/accounts.ts";
import { openQueryContext } from "../../src/query/context.ts";
import type { Json } from "../support/api.ts";
import { serveChain } from "../support/api.ts";
import { ChainOracle } from "../support/chainOracle.ts";
import { blocksOf } from "../support/plainChain.ts";
import { Random } from "../support/random.ts";
import { firstSeed } from "../support/seed.ts";
import { simulatedSource } from "../support/simulatedSource.ts";
import { simulatedPlainState } from "../support/simulatedState.ts";
import type { List, Site } from "../support/site.ts";
import { openSite, walk } from "../support/site.ts";

const SEED = firstSeed();

const coinsOf = (wei: bigint) => formatEther(wei).replace(/\.0$/, "");

/** All accounts and miners with their balances according to the node, largest first. */
async function expectedAccounts({ chain }: Site): Promise<{ accounts: Json[]; total: bigint }> {
  const state = simulatedPlainState(chain);
  const oracle = await ChainOracle.read(chain, state);
  const miners = blocksOf(chain).map(({ block }) => String(block.miner));
  const known = [...new Set([...oracle.appeared.keys(), ...miners])];
  const held = await Promise.all(known.map(async (address) => ({ address, balance: await state.balance(address) })));
  const rich = held.filter(({ balance }) => balance > 0n);
  const total = rich.reduce((sum, { balance }) => sum + balance, 0n);
  rich.sort((a, b) => (a.balance > b.balance ? -1 : 1));
  const accounts = rich.map(({ address, balance }) => ({
    ...oracle.address(address),
    coin_balance: String(balance),
    percentage: Number((balance * 1_000_000n) / total) / 10_000,
    transactions_count: String(oracle.ofAddress(address).transactions.length),
  }));
  return { accounts, total };
}

test(`/addresses ranks all accounts that were seen by what the node says, through reorgs (seed ${SEED})`, async (t) => {
  for (let seed = SEED; seed < SEED + 3; seed++) {
    const random = new Random(seed);
    const site = await openSite(t, { seed, blocks: 15, traffic: { addresses: 9, fresh: 0.2, miners: 5 } });
    for (const depth of [0, 1, random.between(2, 9)]) {
      if (depth > 0) site.chain.fork(depth, depth + random.int(3));
      await site.index();
      const { accounts, total } = await expectedAccounts(site);
      const size = random.between(1, 12);

      const items = await walk(site, "addresses", size, async (page) => {
        assert.deepEqual([page.total_count, page.block_number], [accounts.length, site.chain.head.number]);
        assert.deepEqual([page.total_supply, page.exchange_rate], [coinsOf(total), null]);
        const alone = await site.list("addresses", { page: page.page, page_size: size });
        assert.deepEqual(alone, page);
      });

      assert.deepEqual(items, accounts, `seed ${seed} after ${depth}`);
    }
  }
});

test("/addresses is made once for many, and kept while blocks come", async (t) => {
  let asked = 0;
  const site = await openSite(t, {
    seed: 3,
    blocks: 10,
    source: (chain) => {
      const source = simulatedSource(chain);
      const requests: typeof source.requests = (questions) => {
        asked += questions.filter(({ method }) => method === "eth_getBalance").length;
        return source.requests(questions);
      };
      return { ...source, requests };
    },
  });

  const pages = await Promise.all(Array.from({ length: 5 }, () => site.list("addresses", { page_size: 7 })));
  const once = asked;
  site.chain.mine(2);
  await site.index();
  const later = await site.list("addresses", { page_size: 7 });

  assert.deepEqual([asked, once >= pages[0]!.total_count], [once, true]);
  const ranks = ({ items, ...envelope }: List) => [envelope, items.map(({ transactions_count: _, ...item }) => item)];
  for (const page of [...pages, later]) assert.deepEqual(ranks(page), ranks(pages[0]!));
  assert.equal(later.block_number, site.chain.head.number - 2);
});

test(`/addresses is sorted by balance or transactions, in either order (seed ${SEED})`, async (t) => {
  const random = new Random(SEED);
  const site = await openSite(t, { seed: SEED, blocks: 15, traffic: { addresses: 9, fresh: 0.2, miners: 5 } });
  const { accounts } = await expectedAccounts(site);
  const figureOf = (field: string) => (account: Json) => BigInt(String(account[field]));
  for (const [sort, field] of [
    ["balance", "coin_balance"],
    ["transactions_count", "transactions_count"],
  ] as const) {
    const figures = accounts.map(figureOf(field)).sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
    for (const order of ["asc", "desc"]) {
      const items = await walk(site, `addresses?sort=${sort}&order=${order}`, random.between(1, 9));

      assert.deepEqual(
        items.map(figureOf(field)),
        order === "asc" ? figures : figures.toReversed(),
        `${sort} ${order}`,
      );
      assert.equal(new Set(items.map(({ hash }) => hash)).size, accounts.length);
    }
  }
});

test("over so many addresses are listed by balance alone: 413", async (t) => {
  const served = await serveChain({ seed: 5, blocks: 5 });
  t.after(() => served.close());
  const network = openQueryContext({ store: served.store, source: simulatedSource(served.chain) });
  t.after(() => network.decoder.close());
  const request = { page: 1, pageSize: 5, cursor: undefined };
  const sorted = (max: number) => sortAccounts(network, { sort: "balance", order: "asc" }, request, max);

  await assert.rejects(sorted(2), { code: "limit_exceeded" });
  assert.equal((await sorted(1000)).accounts.length, 5);
});

test("/addresses without a node, or with another order, is refused in words", async (t) => {
  const alone = await openSite(t, { seed: 3, blocks: 3, source: () => undefined });
  const site = await openSite(t, { seed: 3, blocks: 3 });

  assert.equal((await alone.fetch("addresses")).status, 503);
  assert.equal((await alone.fetch("addresses?sort=transactions_count")).status, 503);
  for (const query of ["sort=name", "order=up"]) assert.equal((await site.fetch(`addresses?${query}`)).status, 422);
  assert.equal((await site.fetch("addresses?page=1000")).body.total_count, (await site.list("addresses")).total_count);
});
