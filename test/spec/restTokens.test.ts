import assert from "node:assert/strict";
import type { AddressInfo } from "node:net";
import type { TestContext } from "node:test";
import { test } from "node:test";
import type { Json, Served, ServeOptions } from "../support/api.ts";
import { serveChain } from "../support/api.ts";
import type { PlainTransfer } from "../support/plainLedger.ts";
import { Random } from "../support/random.ts";
import { pick } from "../support/restOracle.ts";
import type { PlainTokens } from "../support/tokenOracle.ts";
import {
  expectedBalances,
  expectedHolders,
  expectedToken,
  expectedTransfer,
  plainTokens,
} from "../support/tokenOracle.ts";

const SEED = Number(process.env.ORIEL_SEED ?? Math.floor(Math.random() * 2 ** 31));
const CASES = Number(process.env.ORIEL_CASES ?? 6);
const ZERO = `0x${"0".repeat(40)}`;

interface List extends Json {
  items: Json[];
  page: number;
  total_count: number;
  total_pages: number;
  next_page_params: Record<string, string | number> | null;
}

/** An app behind a real socket. */
interface Site extends Served {
  fetch(path: string): Promise<{ status: number; body: Json }>;
  list(path: string, query?: Record<string, string | number>): Promise<List>;
}

async function openSite(t: TestContext, options: ServeOptions): Promise<Site> {
  const served = await serveChain({ tokens: true, ...options });
  await served.app.listen({ host: "127.0.0.1", port: 0 });
  t.after(() => served.close());
  const { port } = served.app.server.address() as AddressInfo;
  const fetchJson = async (path: string) => {
    const response = await fetch(`http://127.0.0.1:${port}/api/v2/${path}`);
    assert.match(response.headers.get("content-type")!, /^application\/json/);
    return { status: response.status, body: (await response.json()) as Json };
  };
  const list = async (path: string, query: Record<string, string | number> = {}) => {
    const search = new URLSearchParams(Object.entries(query).map(([key, value]) => [key, String(value)]));
    const { status, body } = await fetchJson(`${path}${path.includes("?") ? "&" : "?"}${search}`);
    assert.equal(status, 200, `${path} ${JSON.stringify(body)}`);
    return body as List;
  };
  return { ...served, fetch: fetchJson, list };
}

/** Every item of a list, page after page; `between` runs after each. */
async function walk(
  site: Site,
  path: string,
  pageSize: number,
  between: (page: List) => Promise<void> = async () => {},
): Promise<Json[]> {
  const items: Json[] = [];
  let query: List["next_page_params"] = { page_size: pageSize };
  while (query !== null) {
    const page: List = await site.list(path, query);
    items.push(...page.items);
    query = page.next_page_params;
    await between(page);
  }
  return items;
}

const lower = (value: unknown) => String(value).toLowerCase();
const addressOf = (record: unknown) => lower((record as Json).address ?? (record as Json).hash);
const holderLine = (item: Json) => `${lower((item.address as Json).hash)} ${item.value}`;
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
