import assert from "node:assert/strict";
import { test } from "node:test";
import { STAGES } from "../../src/indexer/stages.ts";
import type { Json } from "../support/api.ts";
import type { PlainTransfer } from "../support/plainLedger.ts";
import { Random } from "../support/random.ts";
import { pick } from "../support/restOracle.ts";
import { firstSeed } from "../support/seed.ts";
import type { Site } from "../support/site.ts";
import { openSite, walk } from "../support/site.ts";
import type { PlainTokens } from "../support/tokenOracle.ts";
import {
  expectedBalances,
  expectedHolders,
  expectedToken,
  expectedTransfer,
  plainTokens,
} from "../support/tokenOracle.ts";

const SEED = firstSeed();
const CASES = Number(process.env.ORIEL_CASES ?? 1);
const ZERO = `0x${"0".repeat(40)}`;

const lower = (value: unknown) => String(value).toLowerCase();
const addressOf = (record: unknown) => lower((record as Json).address ?? (record as Json).hash);
const holderLine = (item: Json) => `${lower((item.address as Json).hash)} ${item.value} ${item.token_id}`;
const balanceLine = (item: Json) => `${addressOf(item.token)} ${item.token_id} ${item.value}`;

async function expectTransfers(site: Site, path: string, expected: readonly PlainTransfer[], pageSize: number) {
  const items = await walk(site, path, pageSize, async (page) => {
    assert.deepEqual([page.total_count, page.total_pages], [expected.length, Math.ceil(expected.length / pageSize)]);
  });
  const records = expected.map((transfer) => expectedTransfer(transfer, site.chain));
  assert.deepEqual(pick(items, records), records, path);
}

async function expectHolders(site: Site, token: string, { ledger }: PlainTokens, random: Random): Promise<void> {
  const expected = expectedHolders(ledger.get(token)!);
  const pageSize = random.between(1, 7);
  const items = await walk(site, `tokens/${token}/holders`, pageSize, async (page) => {
    assert.equal(page.total_count, expected.length);
    // Without its anchor the page is found by rank.
    const alone = await site.list(`tokens/${token}/holders`, { page: page.page, page_size: pageSize });
    assert.deepEqual(alone, page, token);
  });
  const values = items.map(({ value }) => BigInt(value as string));
  assert.deepEqual(
    values,
    values.toSorted((a, b) => (a > b ? -1 : a < b ? 1 : 0)),
    `order of ${token}`,
  );
  assert.deepEqual(items.map(holderLine).sort(), expected.toSorted(), token);
  assert.ok(items.every((item) => item.value_source === "ledger"));
}

async function expectBalances(site: Site, address: string, { ledger }: PlainTokens, random: Random): Promise<void> {
  const expected = expectedBalances(ledger, address);
  const pageSize = random.between(1, 9);
  const items = await walk(site, `addresses/${address}/token-balances`, pageSize, async (page) => {
    assert.equal(page.total_count, expected.length, address);
    const alone = await site.list(`addresses/${address}/token-balances`, { page: page.page, page_size: pageSize });
    assert.deepEqual(alone, page, address);
  });
  assert.deepEqual(items.map(balanceLine).sort(), expected, address);
}

/** Every token, holder, balance and transfer list against the plain sums of the chain's own receipts. */
async function expectAll(site: Site, random: Random): Promise<void> {
  const plain = plainTokens(site.chain);
  for (const [token, sums] of plain.ledger) {
    const { status, body } = await site.fetch(`tokens/${token}`);
    const expected = expectedToken(token, sums);
    assert.equal(status, 200);
    assert.deepEqual(pick(body, expected), expected);
    assert.equal(body.total_supply, sums.supply < 0n ? null : String(sums.supply));
    await expectHolders(site, token, plain, random);
    const transfers = plain.transfers.filter((transfer) => transfer.token === token);
    await expectTransfers(site, `tokens/${token}/transfers`, transfers, random.between(1, 40));
  }
  for (const party of plain.parties) {
    const ofParty = plain.transfers.filter(({ from, to }) => from === party || to === party);
    await expectTransfers(site, `addresses/${party}/token-transfers`, ofParty, random.between(5, 60));
    await expectBalances(site, party, plain, random);
    if (party === ZERO) continue;
    for (const token of plain.ledger.keys()) {
      const ofPair = ofParty.filter((transfer) => transfer.token === token);
      if (ofPair.length === 0 && random.chance(0.8)) continue;
      await expectTransfers(site, `addresses/${party}/token-transfers?token=${token}`, ofPair, random.between(1, 20));
    }
  }
}

test(`4.1 tokens, holders, token balances and transfers are what the receipts add up to (seed ${SEED})`, async (t) => {
  for (let seed = SEED; seed < SEED + CASES; seed++) {
    const random = new Random(seed);
    const site = await openSite(t, { seed, traffic: { addresses: 8, fresh: 0.05, logs: [0, 6] } });
    for (let round = 0; round < 2; round++) {
      site.chain.mine(random.between(3, 8));
      await site.index();
      site.chain.fork(random.between(1, 3), random.between(1, 5));
      await site.index();
      await expectAll(site, random);
    }
  }
});

test("2.2 a token has the fields of the specification, as text, and the list says what it is true at", async (t) => {
  const site = await openSite(t, { seed: 31, blocks: 20, fromBlock: 4 });
  const [token] = plainTokens(site.chain).transfers.map((transfer) => transfer.token);

  const { body } = await site.fetch(`tokens/${token}`);
  const holders = await site.list(`tokens/${token}/holders`);
  const other = await site.fetch(`tokens/${token!.toUpperCase().replace("0X", "0x")}`);

  assert.deepEqual(other.body, body);
  for (const field of ["address", "holders", "type"]) assert.equal(typeof body[field], "string", field);
  for (const field of ["name", "symbol", "decimals"]) assert.equal(body[field], null, field);
  assert.equal(body.holders, String(holders.total_count));
  assert.deepEqual([holders.page, holders.page_size], [1, 50]);
  assert.deepEqual([holders.block_number, holders.since_block], [20, 4]);
});

test(`ERC-1155s are listed by id, others as a whole (seed ${SEED})`, async (t) => {
  const site = await openSite(t, { seed: SEED, blocks: 60, traffic: { addresses: 900, logs: [1, 4], fresh: 0 } });
  const plain = plainTokens(site.chain);
  const types = new Map<unknown, number>();

  for (const party of plain.parties) {
    const { items } = await site.list(`addresses/${party}/token-balances`, { page_size: 1000 });
    assert.deepEqual(items.map(balanceLine).sort(), expectedBalances(plain.ledger, party), party);
    for (const { token, token_id } of items) {
      const { type } = token as Json;
      assert.equal(token_id !== null, type === "ERC-1155");
      types.set(type, (types.get(type) ?? 0) + 1);
    }
  }

  assert.deepEqual([...types.keys()].sort(), ["ERC-1155", "ERC-20", "ERC-721"], String([...types]));
});

/** The longest list of each kind. */
function busyLists({ transfers, parties }: PlainTokens): string[] {
  const mostFrequent = (values: readonly string[]) => {
    const counts = new Map<string, number>();
    for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
    return [...counts].sort(([, a], [, b]) => b - a)[0]![0];
  };
  const token = mostFrequent(transfers.map((transfer) => transfer.token));
  const party = mostFrequent(
    transfers.flatMap(({ from, to }) => [from, to]).filter((one) => one !== ZERO && parties.includes(one)),
  );
  return [
    `tokens/${token}/transfers`,
    `addresses/${party}/token-transfers`,
    `addresses/${party}/token-transfers?token=${token}`,
  ];
}

test("an answer is whole while the index moves under it", async (t) => {
  const site = await openSite(t, { seed: 32, blocks: 30, traffic: { addresses: 5 } });
  const [ofToken] = busyLists(plainTokens(site.chain)) as [string];
  const token = ofToken.split("/")[1]!;
  const moving = (async () => {
    for (let round = 0; round < 30; round++) {
      site.chain.fork(2, 3);
      await site.index();
      await new Promise(setImmediate);
    }
  })();
  for (let round = 0; round < 30; round++) {
    const holders = await site.list(`tokens/${token}/holders`, { page_size: 1000 });
    const transfers = await site.list(ofToken, { page_size: 1000 });
    assert.equal(holders.items.length, holders.total_count);
    assert.equal(transfers.items.length, transfers.total_count);
    assert.ok(transfers.items.every((item) => (item.block_number as number) <= (transfers.block_number as number)));
  }
  await moving;
});

test("lists of several runs are read across their borders", async (t) => {
  const site = await openSite(t, { seed: 37, blocks: 120, traffic: { addresses: 4, fresh: 0, logs: [4, 12] } });
  const { transfers } = plainTokens(site.chain);
  for (const path of busyLists(plainTokens(site.chain))) {
    const [owner, token] = path.match(/0x[0-9a-f]{40}/g) as string[];
    const expected = transfers.filter((transfer) => {
      if (path.startsWith("tokens/")) return transfer.token === owner;
      const isParty = transfer.from === owner || transfer.to === owner;
      return isParty && (token === undefined || transfer.token === token);
    });
    assert.ok(expected.length > 300, `${path} ${expected.length}`);
    for (const pageSize of [127, 128, 129]) await expectTransfers(site, path, expected, pageSize);
  }
});

test("4.1 pages have the limits of every list, and type and filter are not ignored", async (t) => {
  const site = await openSite(t, { seed: 33, blocks: 60, traffic: { addresses: 5 } });
  for (const path of busyLists(plainTokens(site.chain))) {
    const plain = await site.list(path);
    assert.ok(plain.total_count > 50, path);
    assert.deepEqual([plain.page_size, plain.items.length], [50, 50]);
    assert.deepEqual(await site.list(path, { apikey: "x" }), plain);
    const { status, body } = await site.fetch(`${path}${path.includes("?") ? "&" : "?"}type=ERC-20&filter=to`);
    const isFiltered = path.includes("/token-transfers");
    assert.deepEqual([status, body.total_count], isFiltered ? [200, null] : [422, undefined], path);
    assert.equal((await site.list(path, { page_size: 5000 })).page_size, 1000);
    const { items, next_page_params } = await site.list(path, { page: 1_000_000 });
    assert.deepEqual([items, next_page_params], [[], null]);
    const last = await site.list(path, { page: plain.total_pages });
    assert.deepEqual(
      [last.items.length, last.next_page_params],
      [plain.total_count - 50 * (plain.total_pages - 1), null],
    );
  }
});

test("7 what is no token is not found, and who has no tokens has empty lists", async (t) => {
  const site = await openSite(t, { seed: 34, blocks: 10 });
  const { ledger, parties } = plainTokens(site.chain);
  const unusedAddress = `0x${"00".repeat(19)}ff`;
  const [token] = ledger.keys();
  const holder = parties.find((party) => !ledger.has(party) && party !== ZERO)!;
  for (const address of [unusedAddress, holder, ZERO]) {
    for (const path of ["", "/holders", "/transfers"]) {
      const { status, body } = await site.fetch(`tokens/${address}${path}`);
      assert.deepEqual([status, body], [404, { message: "Not found" }], `${address}${path}`);
    }
  }
  for (const path of [
    `addresses/${unusedAddress}/token-balances`,
    `addresses/${unusedAddress}/token-transfers`,
    `addresses/${unusedAddress}/token-transfers?token=${token}`,
    `addresses/${holder}/token-transfers?token=${unusedAddress}`,
    `addresses/${ZERO}/token-balances`,
  ]) {
    const { items, total_count, total_pages, next_page_params } = await site.list(path);
    assert.deepEqual([items, total_count, total_pages, next_page_params], [[], 0, 0, null], path);
  }
  const { status } = await site.fetch(`addresses/${ZERO}/token-transfers?token=${token}`);
  assert.equal(status, 501);
});

test("7 each malformed parameter is named", async (t) => {
  const site = await openSite(t, { seed: 35, blocks: 10 });
  const { ledger } = plainTokens(site.chain);
  const [token] = ledger.keys();
  const cases: [path: string, pointer: string][] = [
    ["tokens/abc", "/address_hash_param"],
    [`tokens/${token}0/holders`, "/address_hash_param"],
    ["tokens/0x/transfers", "/address_hash_param"],
    ["addresses/latest/token-balances", "/address_hash_param"],
    [`addresses/${token}/token-transfers?token=USDC`, "/token"],
    [`addresses/${token}/token-transfers?token=${token}&token=${token}`, "/token"],
    [`addresses/${token}/token-transfers?anchor=1-2-3`, "/anchor"],
    [`tokens/${token}/holders?page=0`, "/page"],
    [`tokens/${token}/holders?page_size=1e3`, "/page_size"],
    [`tokens/${token}/holders?anchor=5-5`, "/anchor"],
    [`tokens/${token}/holders?anchor=5--5`, "/anchor"],
    [`tokens/${token}/holders?anchor=5-${"9".repeat(306)}-5`, "/anchor"],
    [`addresses/${token}/token-balances?anchor=1-2-3-4`, "/anchor"],
  ];
  for (const [path, pointer] of cases) {
    const { status, body } = await site.fetch(path);
    assert.equal(status, 422, path);
    assert.equal((body.errors as { source: Json }[])[0]!.source.pointer, pointer, path);
  }
});

test("an anchor of another page is excluded", async (t) => {
  const site = await openSite(t, { seed: 36, blocks: 30, traffic: { addresses: 9 } });
  const token = plainTokens(site.chain).transfers[0]!.token;
  for (const path of [`tokens/${token}/holders`, `addresses/${token}/token-balances`]) {
    const { next_page_params } = await site.list(path, { page_size: 1 });
    const { anchor } = next_page_params!;
    assert.deepEqual(
      await site.list(path, { page: 3, page_size: 1, anchor: anchor! }),
      await site.list(path, { page: 3, page_size: 1 }),
    );
    const far = `1-${"9".repeat(305)}-9007199254740991`;
    assert.equal((await site.fetch(`${path}?page=2&page_size=1&anchor=${far}`)).status, 200, path);
  }
});

test("where tokens are not indexed, or not as far as blocks, 503 says so and nothing else", async (t) => {
  const site = await openSite(t, { seed: 38, blocks: 12, tokens: false });
  const { ledger, parties } = plainTokens(site.chain);
  const [token] = ledger.keys();
  const paths = [
    `tokens/${token}`,
    `tokens/${token}/holders`,
    `tokens/${token}/transfers`,
    `addresses/${parties[0]}/token-balances`,
    `addresses/${parties[0]}/token-transfers`,
  ];
  const expectRefused = async (message: string) => {
    for (const path of paths) {
      const { status, body, headers } = await site.get(`/api/v2/${path}`);
      assert.deepEqual([status, body, headers["retry-after"]], [503, { message }, "30"], path);
    }
  };

  await expectRefused("Tokens are not indexed yet, or left out by --no-tokens. The index is at block 12.");
  await site.store.derive(STAGES[0]!, 5);
  await expectRefused("Tokens are indexed up to block 4 of 12.");
  await site.store.derive(STAGES[0]!, 100);
  await expectAll(site, new Random(38));
  site.chain.mine(1);
  await site.index();
  await expectRefused("Tokens are indexed up to block 12 of 13.");
});

test("before anything is indexed there are no tokens and empty lists", async (t) => {
  const site = await openSite(t, { seed: 39 });
  const { items, block_number, since_block } = await site.list(`addresses/${ZERO}/token-transfers`);
  assert.deepEqual([items, block_number, since_block], [[], null, null]);
  assert.equal((await site.fetch(`tokens/0x${"1".repeat(40)}`)).status, 404);
});
