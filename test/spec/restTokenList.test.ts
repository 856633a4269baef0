import assert from "node:assert/strict";
import { test } from "node:test";
import { writeCursor } from "../../src/api/rest/params.ts";
import { fromHex } from "../../src/chain/encoding/hex.ts";
import { MAX_MERGED } from "../../src/store/stages/tokens/read/rankReads.ts";
import { listOf } from "../../src/store/stages/tokens/tables/tokenRanking.ts";
import type { Json } from "../support/api.ts";
import { autocommit } from "../support/autocommit.ts";
import { observeAll, plainSearch } from "../support/namedTokens.ts";
import { Random } from "../support/random.ts";
import { firstSeed } from "../support/seed.ts";
import type { Site } from "../support/site.ts";
import { openSite, walk } from "../support/site.ts";
import { expectedToken, plainTokens } from "../support/tokenOracle.ts";

const SEED = firstSeed();
const STANDARDS = ["ERC-20", "ERC-721", "ERC-1155"];

interface Expected {
  readonly address: string;
  /** Ids are given in order of first appearance. */
  readonly token: number;
  readonly type: string;
  readonly holders: number;
}

/** Every token of the chain by its own receipts, those with the most holders first. */
async function rankedTokens({ chain, store }: Site): Promise<Expected[]> {
  const tokens: Expected[] = [];
  for (const [address, plain] of plainTokens(chain).ledger) {
    const { type, holders_count } = expectedToken(address, plain);
    const token = (await store.latest.addresses.id(fromHex(address)))!;
    tokens.push({ address, token, type: String(type), holders: Number(holders_count) });
  }
  return tokens.sort((a, b) => b.holders - a.holders || a.token - b.token);
}

const addressesOf = (items: readonly Json[]) => items.map(({ address }) => String(address).toLowerCase());

async function expectList(site: Site, path: string, expected: readonly Expected[], pageSize: number): Promise<void> {
  const items = await walk(site, path, pageSize, async (page) => {
    assert.deepEqual([page.total_count, page.total_pages], [expected.length, Math.ceil(expected.length / pageSize)]);
    // Without its anchor the page is found by rank.
    assert.deepEqual(await site.list(path, { page: page.page, page_size: pageSize }), page, path);
  });
  assert.deepEqual(
    addressesOf(items),
    expected.map(({ address }) => address),
    path,
  );
  const last = await site.list(path, { page: Math.ceil(expected.length / pageSize) + 1, page_size: pageSize });
  assert.deepEqual([last.items, last.next_page_params], [[], null]);
}

test(`/tokens ranks what /tokens/{address} answers by holders, of any standards, through reorgs (seed ${SEED})`, async (t) => {
  const random = new Random(SEED);
  const site = await openSite(t, { seed: SEED, blocks: 15, traffic: { logs: [0, 8], honestTokens: 3 } });
  for (let round = 0; round < 5; round++) {
    const ranked = await rankedTokens(site);
    await expectList(site, "tokens", ranked, random.between(1, 9));
    for (const types of [["ERC-20"], ["ERC-721"], ["ERC-1155"], ["ERC-20", "ERC-1155"], STANDARDS]) {
      const fitting = ranked.filter(({ type }) => types.includes(type));
      const path = `tokens?type=${random.shuffle([...types]).join(",")}`;
      await expectList(site, path, fitting, random.between(1, 9));
      await expectList(site, `${path}&sort=holders_count&order=asc`, fitting.toReversed(), random.between(1, 9));
    }
    const whole = (await site.list("tokens", { page_size: 1000 })).items;
    for (const item of whole.slice(0, 20)) assert.deepEqual(item, (await site.fetch(`tokens/${item.address}`)).body);
    site.chain.fork(Math.min(random.between(1, 12), site.chain.length - 1), random.between(1, 14));
    await site.index();
  }
});

test("a walk over tokens gives those that stay where they are once, whatever overtakes them", async (t) => {
  const site = await openSite(t, { seed: 91, blocks: 20, traffic: { logs: [0, 8] } });
  const before = await rankedTokens(site);

  const items = await walk(site, "tokens", 3, async () => {
    site.chain.mine(1);
    await site.index();
  });

  const after = new Map((await rankedTokens(site)).map(({ address, holders }) => [address, holders]));
  const shown = addressesOf(items);
  const still = before.filter(({ address, holders }) => after.get(address) === holders);
  assert.ok(still.length > 0);
  for (const { address } of still) assert.equal(shown.filter((other) => other === address).length, 1, address);
});

test("/tokens with q has the tokens that a search finds, in its order, of the standards asked for", async (t) => {
  const site = await openSite(t, { seed: 92, blocks: 25, traffic: { logs: [0, 6], honestTokens: 4 } });
  const ranked = await rankedTokens(site);
  const nameOf = (token: number) => ({ name: `Coin ${token % 7}`, symbol: token % 3 === 0 ? null : `C${token % 5}` });
  await observeAll(site.store, nameOf);
  const named = ranked.map(({ token, holders }) => ({ token, holders, ...nameOf(token) }));
  const byId = new Map(ranked.map((one) => [one.token, one]));

  for (const query of ["coin", "c1", "3", "oi", "nothing", "coin 2"]) {
    const found = plainSearch(named, query).map((token) => byId.get(token)!);
    await expectList(site, `tokens?q=${encodeURIComponent(query)}`, found, 4);
    const fitting = found.filter(({ type }) => type !== "ERC-20");
    await expectList(site, `tokens?type=ERC-721,ERC-1155&q=${encodeURIComponent(query)}`, fitting, 4);
  }
  const [first] = ranked;
  assert.deepEqual(addressesOf((await site.list(`tokens?q=${first!.address}`)).items), [first!.address]);
  assert.deepEqual((await site.list(`tokens?q=0x${"ab".repeat(20)}`)).items, []);
  assert.deepEqual((await site.list(`tokens?q=0x${"ab".repeat(32)}`)).items, []);
  for (const blank of ["tokens?q=", "tokens?q=%20", "tokens?type=", "tokens?sort=fiat_value&order=asc"])
    await expectList(site, blank, ranked, 50);
  for (const bad of ["tokens?sort=name", "tokens?order=up"]) assert.equal((await site.fetch(bad)).status, 422);
});

test("a page far from both ends of the tokens of two standards needs its anchor", async (t) => {
  const site = await openSite(t, { seed: 94, blocks: 40, traffic: { addresses: 300, logs: [0, 8], honestTokens: 3 } });
  const [first, second] = [listOf("ERC-20"), listOf("ERC-721")];
  const tokens = 2 * MAX_MERGED;
  const rows = Array.from({ length: tokens }, (_, at) => [at % 2 === 0 ? first : second, 0, 1_000_000 + at]);
  await autocommit(site.store.database).insert("token_rank", ["list", "rank", "token"], rows);
  const sql = "UPDATE token_rank_count SET tokens = tokens + ? WHERE list IN (?, ?)";
  await autocommit(site.store.database).run(sql, tokens / 2, first, second);
  const both = "tokens?type=ERC-20,ERC-721";
  const total = (await site.list(both, { page_size: 1 })).total_count as number;
  assert.ok(total > tokens + 2);

  const { status, body } = await site.fetch(`${both}&page_size=1&page=${MAX_MERGED + 2}`);
  assert.deepEqual([status, JSON.stringify(body).includes("page")], [422, true]);
  const anchor = writeCursor({ rank: MAX_MERGED + 1, key: [0n, 2_000_000] });
  assert.deepEqual((await site.list(both, { page: MAX_MERGED + 2, page_size: 1, anchor })).items, []);
  for (const page of [total + 1, 2 ** 40]) assert.deepEqual((await site.list(both, { page, page_size: 1 })).items, []);
});

test("/tokens refuses what is no standard, and answers what has none", async (t) => {
  const site = await openSite(t, { seed: 93, blocks: 5 });

  for (const query of ["type=ERC20", "type=ERC-20,", "type=erc-20", "type=a&type=b", "q=a&q=b", "anchor=x", "page=0"])
    assert.equal((await site.fetch(`tokens?${query}`)).status, 422, query);
  assert.deepEqual((await site.list("tokens?type=ERC-404")).total_count, 0);
  assert.ok((await site.list("tokens?type=ERC-404,ERC-20")).total_count > 0);
});

test("/tokens is empty before the first block and unavailable without the stage", async (t) => {
  const empty = await openSite(t, { seed: 94 });
  const without = await openSite(t, { seed: 94, blocks: 5, tokens: false });

  const { items, total_count, block_number } = await empty.list("tokens");
  assert.deepEqual([items, total_count, block_number], [[], 0, null]);
  assert.equal((await without.fetch("tokens")).status, 503);
  const blocks = [1, 2, 3, 4, 5].map((number) => without.chain.at(number)!.block);
  const { hash: known } = blocks.flatMap(({ transactions }) => transactions)[0]!;
  const unknown = `0x${"ab".repeat(32)}`;
  assert.equal((await without.fetch(`transactions/${unknown}/token-transfers`)).status, 404);
  assert.equal((await without.fetch(`transactions/${known}/token-transfers`)).status, 503);
});
