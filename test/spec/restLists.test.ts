import assert from "node:assert/strict";
import { test } from "node:test";
import { MAIN_PAGE } from "../../src/api/rest/stats/statsRoutes.ts";
import type { Json } from "../support/api.ts";
import { plainLedger } from "../support/plainLedger.ts";
import { Random } from "../support/random.ts";
import { expectedBlock, expectedTransaction, pick } from "../support/restOracle.ts";
import { firstSeed } from "../support/seed.ts";
import type { SimulatedChain } from "../support/simulatedChain.ts";
import type { List, Site } from "../support/site.ts";
import { openSite, walk } from "../support/site.ts";
import { expectedBalances } from "../support/tokenOracle.ts";

const SEED = firstSeed();
const CASES = Number(process.env.ORIEL_CASES ?? 1);

const hashesOf = (items: readonly Json[]) => items.map(({ hash }) => String(hash));

/** The blocks of a chain as a list must show them, newest first. */
function plainBlocks(chain: SimulatedChain, since = 0): Json[] {
  const numbers = Array.from({ length: chain.length - since }, (_, at) => chain.length - 1 - at);
  return numbers.map((number) => expectedBlock(chain.at(number)!, chain.head.number));
}

function plainTransactionsIn(chain: SimulatedChain, number: number): Json[] {
  const mined = chain.at(number)!;
  return mined.block.transactions.map((tx, at) =>
    expectedTransaction(tx, mined.receipts[at]!, mined, chain.head.number),
  );
}

/** The transactions of a chain as a list must show them, newest first. */
function plainTransactions(chain: SimulatedChain, since = 0): Json[] {
  const numbers = Array.from({ length: chain.length - since }, (_, at) => since + at);
  return numbers.flatMap((number) => plainTransactionsIn(chain, number)).reverse();
}

async function expectList(site: Site, path: string, expected: readonly Json[], pageSize: number): Promise<void> {
  const items = await walk(site, path, pageSize, async (page) => {
    assert.deepEqual([page.total_count, page.total_pages], [expected.length, Math.ceil(expected.length / pageSize)]);
    const alone = await site.list(path, { page: page.page, page_size: pageSize });
    assert.deepEqual(alone, page, path);
  });
  assert.deepEqual(pick(items, expected), expected, path);
}

async function expectLists(site: Site, random: Random, since: number): Promise<void> {
  const { chain } = site;
  await expectList(site, "blocks", plainBlocks(chain, since), random.between(1, 30));
  await expectList(site, "blocks?type=block", plainBlocks(chain, since), 1000);
  await expectList(site, "transactions", plainTransactions(chain, since), random.between(3, 60));
  await expectList(site, "transactions?filter=validated", plainTransactions(chain, since), 1000);
  const number = random.between(since, chain.head.number);
  for (const id of [number, chain.at(number)!.hash]) {
    await expectList(site, `blocks/${id}/transactions`, plainTransactionsIn(chain, number), random.between(1, 5));
  }
}

test(`4.1 the lists of blocks and transactions are the chain's, also after it forked (seed ${SEED})`, async (t) => {
  for (let seed = SEED; seed < SEED + CASES; seed++) {
    const random = new Random(seed);
    const since = seed % 3 === 0 ? 9 : 0;
    const traffic = { transactions: [0, 9] as [number, number], deposits: seed % 2 === 0 };
    const site = await openSite(t, { seed, blocks: 30, fromBlock: since, tokens: false, traffic });
    await expectLists(site, random, since);
    for (let round = 0; round < 3; round++) {
      const depth = random.int(8);
      site.chain.fork(depth, depth + random.int(4));
      await site.index();
      await site.fetch("../../status");
      await expectLists(site, random, since);
    }
  }
});

test("4.1, 8 /main-page/blocks are the newest blocks, 50 on a page, and every other page of them", async (t) => {
  const site = await openSite(t, { seed: 31, blocks: 61, tokens: false });
  const expected = plainBlocks(site.chain);
  const first = await site.list("main-page/blocks");
  assert.deepEqual(pick(first.items, expected.slice(0, 50)), expected.slice(0, 50));
  assert.deepEqual([first.page, first.page_size, first.total_count, first.total_pages], [1, 50, 62, 2]);
  assert.deepEqual(hashesOf((await site.list("main-page/blocks", { page: 2 })).items), hashesOf(expected.slice(50)));
  const sized = await site.list("main-page/blocks", { page: 2, page_size: 7 });
  assert.deepEqual(hashesOf(sized.items), hashesOf(expected.slice(7, 14)));
  assert.deepEqual(hashesOf(await walk(site, "main-page/blocks", 5)), hashesOf(expected));
});

test("4.1, 8 /main-page/transactions are the newest transactions, 50 on a page, and every other page of them", async (t) => {
  const site = await openSite(t, { seed: 32, blocks: 41, tokens: false });
  const expected = plainTransactions(site.chain);
  const first = await site.list("main-page/transactions");
  assert.ok(expected.length > 50);
  assert.deepEqual(pick(first.items, expected.slice(0, 50)), expected.slice(0, 50));
  assert.deepEqual([first.page, first.page_size, first.total_count], [1, 50, expected.length]);
  const sized = await site.list("main-page/transactions", { page: 3, items_count: 10 });
  assert.deepEqual(hashesOf(sized.items), hashesOf(expected.slice(20, 30)));
});

test("compat blockscout makes the lists that its front end expects so bare arrays, and no other", async (t) => {
  const traffic = { logs: [4, 9] as [number, number], addresses: 5, fresh: 0, honestTokens: 150 };
  const options = { seed: 33, blocks: 150, tokens: true, traffic };
  const plain = await openSite(t, options);
  const compat = await openSite(t, { ...options, settings: { compat: "blockscout" } });
  const holder = richest(plain.chain);
  const balances = `addresses/${holder}/token-balances`;
  for (const path of [
    "main-page/blocks?page_size=60",
    "main-page/transactions?page_size=3&page=4",
    `${balances}?items_count=5&page=2`,
    "advanced-filters/methods?page_size=7",
    "advanced-filters/methods?q=transfer",
  ]) {
    const { status, body } = await compat.fetch(path);
    assert.deepEqual([status, body], [200, (await plain.list(path)).items], path);
    assert.ok((await plain.list(path)).items.length > 0, path);
  }
  for (const [list, size] of Object.entries(MAIN_PAGE)) {
    const { items } = await plain.list(`main-page/${list}`);
    assert.deepEqual((await compat.fetch(`main-page/${list}`)).body, items.slice(0, size), list);
    assert.deepEqual((await compat.fetch(`main-page/${list}?page=2`)).body, items.slice(size, 2 * size), list);
  }
  const { items } = await plain.list(`${balances}?page_size=1000`);
  assert.ok(items.length > 50, `${items.length} balances`);
  assert.deepEqual((await compat.fetch(balances)).body, items, "whole without being asked for a size");
  assert.equal((await compat.fetch(`${balances}?page=0`)).status, 422);
  for (const path of ["blocks", "transactions", `addresses/${holder}/transactions`]) {
    assert.deepEqual((await compat.fetch(path)).body, await plain.list(path));
  }
});

/** The address that has something of the most tokens. */
function richest(chain: SimulatedChain): string {
  const ledger = plainLedger(chain);
  const holders = [...new Set([...ledger.values()].flatMap(({ balances }) => [...balances.keys()]))];
  const counts = new Map(holders.map((holder) => [holder, expectedBalances(ledger, holder).length]));
  return holders.sort((a, b) => counts.get(b)! - counts.get(a)!)[0]!;
}

test("a walk of a block's transactions ends where a fork takes the block", async (t) => {
  const traffic = { transactions: [6, 9] as [number, number] };
  const site = await openSite(t, { seed: 35, blocks: 12, tokens: false, traffic });
  const lost = site.chain.at(10)!;
  const first = await site.list("blocks/10/transactions", { page_size: 2 });
  assert.deepEqual(
    hashesOf(first.items),
    lost.block.transactions.slice(0, 2).map(({ hash }) => hash),
  );
  assert.deepEqual(first.next_page_params, { page: 2, page_size: 2, anchor: lost.hash });

  site.chain.fork(4, 6);
  await site.index();

  const search = new URLSearchParams(Object.entries(first.next_page_params!).map(([k, v]) => [k, String(v)]));
  assert.equal((await site.fetch(`blocks/10/transactions?${search}`)).status, 404);
  assert.equal((await site.fetch(`blocks/${lost.hash}/transactions`)).status, 404);
  const again = await site.list("blocks/10/transactions", { page_size: 1000 });
  assert.deepEqual(
    hashesOf(again.items),
    site.chain.at(10)!.block.transactions.map(({ hash }) => hash),
  );
});

test("the transactions of a block that is not indexed are read through the node, in the same form", async (t) => {
  const site = await openSite(t, { seed: 36, blocks: 10, fromBlock: 4, tokens: false });
  site.chain.mine(5);
  await site.fetch("../../status");
  for (const number of [0, 2, 13]) {
    const { hash } = site.chain.at(number)!;
    for (const id of [number, hash]) {
      await expectList(site, `blocks/${id}/transactions`, plainTransactionsIn(site.chain, number), 2);
    }
  }
  assert.equal((await site.fetch("blocks/16/transactions")).status, 404);
  assert.equal((await site.fetch(`blocks/0x${"1".repeat(64)}/transactions`)).status, 404);
});

test("lists of what is not kept are empty, as are all before anything is indexed", async (t) => {
  const site = await openSite(t, { seed: 37, tokens: false });
  const expectEmpty = ({ items, total_count, total_pages, next_page_params }: List) =>
    assert.deepEqual([items, total_count, total_pages, next_page_params], [[], 0, 0, null]);
  for (const path of ["blocks", "transactions", "main-page/blocks", "main-page/transactions"]) {
    const list = await site.list(path);
    expectEmpty(list);
    assert.equal(list.block_number, null);
  }
  site.chain.mine(3);
  await site.index();
  assert.equal((await site.fetch("transactions?filter=pending")).status, 501, "a node that does not show its pool");
  for (const path of ["blocks?type=uncle", "blocks?type=reorg"]) {
    const list = await site.list(path);
    expectEmpty(list);
    assert.equal(list.block_number, 3);
    expectEmpty(await site.list(path, { page: 9, anchor: "70-2" }));
  }
});

test("bad parameters of these lists are named, never a failure", async (t) => {
  const site = await openSite(t, { seed: 38, blocks: 3, tokens: false });
  const cases: [path: string, pointer: string][] = [
    ["blocks?type=uncles", "/type"],
    ["blocks?type=block&type=uncle", "/type"],
    ["blocks?page=0", "/page"],
    ["blocks?anchor=x", "/anchor"],
    ["transactions?filter=%00", "/filter"],
    ["transactions?filter=%F0%9F%A6%84", "/filter"],
    ["transactions?page_size=1.5", "/page_size"],
    ["transactions?anchor=-1-2", "/anchor"],
    ["main-page/blocks?page=9007199254740992", "/page"],
    [`main-page/transactions?page_size=${"9".repeat(500)}`, "/page_size"],
    ["blocks/1/transactions?anchor=3-3", "/anchor"],
    ["blocks/1/transactions?anchor=0x12", "/anchor"],
    ["blocks/x/transactions", "/block_hash_or_number_param"],
    ["blocks/9007199254740992/transactions", "/block_hash_or_number_param"],
    ["blocks/%00/transactions", "/block_hash_or_number_param"],
  ];
  for (const [path, pointer] of cases) {
    const { status, body } = await site.fetch(path);
    assert.equal(status, 422, path);
    assert.equal((body.errors as { source: { pointer: string } }[])[0]!.source.pointer, pointer, path);
  }
  for (const path of ["blocks", "transactions", "blocks/2/transactions", "main-page/blocks"]) {
    const past = await site.list(path, { page: Number.MAX_SAFE_INTEGER, page_size: 1000 });
    assert.deepEqual([past.items, past.next_page_params], [[], null], path);
  }
});
