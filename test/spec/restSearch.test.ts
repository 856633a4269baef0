import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { test } from "node:test";
import { checksumAddress } from "../../src/chain/encoding/checksum.ts";
import { fromHex } from "../../src/chain/encoding/hex.ts";
import { ChainError } from "../../src/chain/error.ts";
import type { Json } from "../support/api.ts";
import { serveChain } from "../support/api.ts";
import type { NamedToken } from "../support/namedTokens.ts";
import { observeAll, plainSearch, randomText } from "../support/namedTokens.ts";
import { plainLedger } from "../support/plainLedger.ts";
import { Random } from "../support/random.ts";
import { firstSeed } from "../support/seed.ts";
import type { SimulatedChain } from "../support/simulatedChain.ts";
import { simulatedSource } from "../support/simulatedSource.ts";
import type { Site } from "../support/site.ts";
import { openSite, walk } from "../support/site.ts";

const SEED = firstSeed();
const CASES = Number(process.env.ORIEL_CASES ?? 30);

const pathOf = (query: string) => `search?q=${encodeURIComponent(query)}`;
const find = async (site: Site, query: string) => (await site.list(pathOf(query))).items;
const typesOf = (items: readonly Json[]) => items.map(({ type }) => type);

/** Named tokens of a chain, from the chain itself. */
async function nameTokens(site: Site, metadataOf: (at: number) => { name: string | null; symbol: string | null }) {
  const named: (NamedToken & { address: string })[] = [];
  for (const [address, { balances }] of plainLedger(site.chain)) {
    const token = (await site.store.latest.addresses.id(fromHex(address)))!;
    const holders = [...balances.values()].filter((balance) => balance > 0n).length;
    named.push({ address, token, holders, ...metadataOf(named.length) });
  }
  await observeAll(site.store, (token) => named.find((one) => one.token === token)!);
  return named;
}

function openNamed(t: TestContext, seed: number): Promise<Site> {
  return openSite(t, { seed, blocks: 40, traffic: { honestTokens: 4, logs: [0, 4] } });
}

test("4.1 search finds a block by number and hash, a transaction by hash, with and without 0x", async (t) => {
  const site = await openNamed(t, 61);
  const { hash, block } = site.chain.at(20)!;
  const found = (await site.fetch("blocks/20")).body;
  const expected = {
    type: "block",
    block_number: 20,
    block_hash: hash,
    url: `/block/${hash}`,
    timestamp: found.timestamp,
    block_type: "block",
    priority: 3,
  };
  for (const query of ["20", " 20\n", hash, hash.slice(2), hash.toUpperCase()])
    assert.deepEqual(await find(site, query), [expected], query);

  const tx = block.transactions[0]!.hash;
  for (const query of [tx, tx.slice(2).toUpperCase(), `\t${tx} `]) {
    assert.deepEqual(await find(site, query), [
      {
        type: "transaction",
        transaction_hash: tx,
        tx_hash: tx,
        url: `/tx/${tx}`,
        timestamp: found.timestamp,
        priority: 0,
      },
    ]);
  }
  for (const query of ["41", "9007199254740993", "1".repeat(60), `0x${"1".repeat(64)}`, `0x${"1".repeat(63)}`])
    assert.deepEqual(await find(site, query), [], query);
});

test("4.1 search finds an address: a token and its contract, a contract, or an account, seen or not", async (t) => {
  const site = await openNamed(t, 62);
  const [{ address, name, symbol, holders }] = (await nameTokens(site, (at) => ({
    name: `Coin ${at}`,
    symbol: null,
  }))) as [NamedToken & { address: string }];
  const checksum = checksumAddress(fromHex(address));
  const shown = (await site.fetch(`tokens/${address}`)).body;

  const [token, contract] = await find(site, address.slice(2).toUpperCase());
  const unseen = `0x${"ab".repeat(20)}`;

  assert.deepEqual(token, {
    type: "token",
    name,
    symbol,
    address_hash: checksum,
    address: checksum,
    token_url: `/token/${checksum}`,
    address_url: `/address/${checksum}`,
    token_type: shown.type,
    holders_count: String(holders),
    is_copy: false,
    total_supply: shown.total_supply,
    icon_url: null,
    exchange_rate: null,
    circulating_market_cap: null,
    is_smart_contract_address: true,
    is_smart_contract_verified: false,
    is_verified_via_admin_panel: false,
    certified: false,
    priority: 2,
    reputation: "ok",
  });
  assert.deepEqual(contract, {
    type: "contract",
    name,
    address_hash: checksum,
    address: checksum,
    url: `/address/${checksum}`,
    is_smart_contract_address: true,
    is_smart_contract_verified: false,
    ens_info: null,
    certified: false,
    priority: 0,
    reputation: "ok",
  });
  const [account, ...others] = await find(site, unseen);
  assert.deepEqual(
    [account!.type, account!.address_hash, account!.is_smart_contract_address, others.length],
    ["address", checksumAddress(fromHex(unseen)), null, 0],
  );
});

test(`4.1 search by name and symbol finds what a look at every token finds, page by page (seed ${SEED})`, async (t) => {
  const site = await openNamed(t, SEED);
  const random = new Random(SEED);
  const named = await nameTokens(site, () => ({ name: randomText(random), symbol: randomText(random, 2) }));
  const addresses = new Map(named.map(({ token, address }) => [token, checksumAddress(fromHex(address))]));
  for (let at = 0; at < CASES; at++) {
    const { name, symbol } = random.pick(named);
    const query = (random.chance(0.5) ? randomText(random, 2) : random.pick([name, symbol])!) || " ";
    const expected = plainSearch(named, query).map((token) => addresses.get(token));
    const pageSize = random.between(1, 7);

    const items = await walk(site, pathOf(query), pageSize, async (page) => {
      assert.equal(page.block_number, site.chain.head.number);
      const alone = await site.list(pathOf(query), { page: page.page, page_size: pageSize });
      assert.deepEqual(alone, page);
    });

    const tokens = items.filter(({ type }) => type === "token");
    assert.deepEqual(
      tokens.map(({ address_hash }) => address_hash),
      expected,
      JSON.stringify(query),
    );
    const isBlock = /^\s*\d+\s*$/.test(query) && Number(query) <= site.chain.head.number;
    assert.deepEqual(typesOf(items.slice(0, items.length - tokens.length)), isBlock ? ["block"] : []);
    const { body } = await site.fetch(`search/quick?q=${encodeURIComponent(query)}`);
    assert.deepEqual(body, items.slice(0, 50));
  }
});

test("4.1 digits find the block of that number first, and tokens with them in their names", async (t) => {
  const site = await openNamed(t, 63);
  const named = await nameTokens(site, (at) => ({ name: at === 2 ? "Room 10" : "Coin", symbol: "C" }));

  const [block, token, ...others] = await find(site, "10");

  assert.deepEqual([block!.type, block!.block_number, others.length], ["block", 10, 0]);
  assert.equal(String(token!.address).toLowerCase(), named[2]!.address);
});

test("2.7 a token whose symbol another one with more holders has is marked as a copy", async (t) => {
  const site = await openNamed(t, 64);
  const named = await nameTokens(site, (at) => ({ name: null, symbol: ["USD", "Usd", "ÚSD", "USDX"][at % 4]! }));

  const items = await find(site, "usd");

  const max = (symbols: string[]) =>
    Math.max(...named.filter(({ symbol }) => symbols.includes(symbol!)).map(({ holders }) => holders));
  const [same, longer] = [max(["USD", "Usd", "ÚSD"]), max(["USDX"])];
  assert.equal(items.length, named.length);
  for (const { symbol, holders_count, is_copy } of items)
    assert.equal(is_copy, Number(holders_count) < (symbol === "USDX" ? longer : same));
  assert.ok(items.some(({ is_copy }) => is_copy) && items.some(({ is_copy }) => !is_copy));
});

test("check-redirect says where a query can only lead", async (t) => {
  const site = await openNamed(t, 65);
  await nameTokens(site, () => ({ name: "Only", symbol: "ONE" }));
  const { hash, block } = site.chain.at(7)!;
  const tx = block.transactions[0]?.hash ?? site.chain.at(8)!.block.transactions[0]!.hash;
  const address = site.chain.honestTokens[0]!;
  const nowhere = { redirect: false, type: null, parameter: null };
  const cases: [query: string, answer: Json][] = [
    ["7", { redirect: true, type: "block", parameter: hash }],
    [hash, { redirect: true, type: "block", parameter: hash }],
    [tx.slice(2), { redirect: true, type: "transaction", parameter: tx }],
    [address, { redirect: true, type: "address", parameter: checksumAddress(fromHex(address)) }],
    ["4000", nowhere],
    [`0x${"3".repeat(64)}`, nowhere],
    ["ONE", nowhere],
    [" ", nowhere],
  ];
  for (const [query, answer] of cases)
    assert.deepEqual((await site.fetch(`search/check-redirect?q=${encodeURIComponent(query)}`)).body, answer, query);
});

test("search needs q, once", async (t) => {
  const site = await openNamed(t, 66);
  for (const path of [
    "search",
    "search/quick",
    "search/check-redirect",
    "search?q=",
    "search/quick?q=",
    "search/check-redirect?q=",
    "search?q=a&q=b",
    "search?page=1",
    "search?q[]=a",
  ]) {
    const { status, body } = await site.fetch(path);
    assert.equal(status, 422, path);
    assert.equal((body.errors as { source: Json }[])[0]!.source.pointer, "/q");
  }
  assert.equal((await site.fetch("search?q=a&page=0")).status, 422);
});

test("hostile queries find nothing or something, soon", async (t) => {
  const site = await openNamed(t, 67);
  await nameTokens(site, (at) => ({ name: `100%_\\'" ${at}`, symbol: at === 0 ? "🦄" : "\0" }));
  const nothing = [
    " ",
    "\0",
    "\u202e",
    "\ufffe",
    "a%",
    "%%",
    "__",
    "' OR 1=1 --",
    "\0".repeat(500),
    "🦄".repeat(300),
    "a".repeat(10_000),
    "🦄".repeat(2_500),
    "\0".repeat(10_000),
  ];
  for (const query of nothing) {
    const page = await site.list(pathOf(query));
    assert.deepEqual([page.items, page.total_count, page.total_pages, page.next_page_params], [[], 0, 0, null]);
  }
  for (const query of ["%", "_", "\\", "'", '"', "100%_\\'\"", "🦄", "🦄\0"])
    assert.ok((await find(site, query)).length > 0, query);
  for (const query of ["%C3%28", "%ff", "%00%00", "a+b"])
    assert.equal((await site.fetch(`search?q=${query}`)).status, 200);
});

test("what waits, and what the index has not reached, is found through the node", async (t) => {
  const site = await openSite(t, { seed: 68, blocks: 20, fromBlock: 10 });
  const number = [1, 2, 3, 4, 5, 6, 7, 8, 9].find((at) => site.chain.at(at)!.block.transactions.length > 0)!;
  const { hash, block } = site.chain.at(number)!;
  const tx = block.transactions[0]!.hash;
  const pending = site.chain.submit();

  assert.deepEqual((await find(site, String(number)))[0]!.block_hash, hash);
  assert.deepEqual(typesOf(await find(site, hash)), ["block"]);
  assert.deepEqual(typesOf(await find(site, tx)), ["transaction"]);
  const [waiting] = await find(site, pending);
  assert.deepEqual([waiting!.type, waiting!.transaction_hash, waiting!.timestamp], ["transaction", pending, null]);
});

test("without the tokens stage all else is found, and before the first block nothing fails", async () => {
  const served = await serveChain({ seed: 69, tokens: false });
  const search = async (query: string) => (await served.get(`/api/v2/search?q=${query}`)).body;
  const empty = await search("coin");
  assert.deepEqual([empty.items, empty.block_number, empty.since_block], [[], null, null]);
  served.chain.mine(20);
  await served.index();
  const [token] = [...plainLedger(served.chain).keys()];

  assert.deepEqual(typesOf((await search("5")).items as Json[]), ["block"]);
  assert.deepEqual(typesOf((await search(token!)).items as Json[]), ["contract"]);
  assert.deepEqual((await search("coin")).items, []);
  await served.close();
});

test("a failing node is reported only where it is needed", async () => {
  const down = () => Promise.reject(new ChainError("upstream_unavailable", "connect"));
  const source = (chain: SimulatedChain) => ({ ...simulatedSource(chain), transaction: down, block: down });
  const served = await serveChain({ seed: 70, blocks: 5, tokens: true, source });

  const unknown = `0x${"1".repeat(64)}`;
  for (const query of ["5", "coin", served.chain.at(3)!.hash, unknown.slice(0, 42), unknown]) {
    const { status, headers } = await served.get(`/api/v2/search?q=${query}`);
    assert.equal(status, query === unknown ? 503 : 200, query);
    assert.equal(headers["retry-after"] !== undefined, query === unknown);
  }
  await served.close();
});
