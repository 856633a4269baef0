import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { test } from "node:test";
import type { Json } from "../support/api.ts";
import type { PlainMined } from "../support/chainOracle.ts";
import { ChainOracle } from "../support/chainOracle.ts";
import { Random } from "../support/random.ts";
import { firstSeed } from "../support/seed.ts";
import { simulatedPlainState } from "../support/simulatedState.ts";
import type { Lists, Site } from "../support/site.ts";
import { openSite, walk } from "../support/site.ts";

const SEED = firstSeed();
const TYPES = [
  ...["coin_transfer", "contract_call", "contract_creation", "token_creation", "token_transfer"],
  ...["blob_transaction", "set_code_transaction"],
];
const KINDS = ["ERC-20", "ERC-721", "ERC-1155"];

const readOracle = ({ chain }: Site) => ChainOracle.read(chain, simulatedPlainState(chain));
const hashOf = ({ hash }: Json) => String(hash);
const transferKey = ({ block_hash, log_index, total }: Json) => {
  const { token_id, value } = total as Json;
  return [block_hash, log_index, token_id, value].join(" ");
};

/** A filtered list has no total, and ends. */
async function walkFiltered(site: Lists, path: string, size: number): Promise<Json[]> {
  return walk(site, path, size, async ({ total_count, total_pages, items }) => {
    assert.deepEqual([total_count, total_pages], [null, null], path);
    assert.ok(items.length <= size, path);
  });
}

async function expectFiltered(site: Site, random: Random): Promise<Map<string, number>> {
  const oracle = await readOracle(site);
  const counts = new Map<string, number>();
  const typesOf = (mined: PlainMined) => oracle.listed(mined).transaction_types as string[];
  const ofTypes = (some: readonly PlainMined[], types: readonly string[]) =>
    some.filter((mined) => typesOf(mined).some((type) => types.includes(type))).map(({ tx }) => tx.hash);
  const newest = oracle.transactions.toReversed();
  for (const types of [...TYPES.map((type) => [type]), random.shuffle([...TYPES]).slice(0, 3)]) {
    const items = await walkFiltered(site, `transactions?type=${types.join()}`, random.between(1, 20));
    assert.deepEqual(items.map(hashOf), ofTypes(newest, types), `seed ${SEED} ${types}`);
    counts.set(types.join(), items.length);
    const block = random.pick(newest).block.number;
    const inBlock = oracle.transactions.filter((mined) => mined.block.number === block);
    const some = await walkFiltered(site, `blocks/${block}/transactions?type=${types.join()}`, random.between(1, 4));
    assert.deepEqual(some.map(hashOf), ofTypes(inBlock, types), `seed ${SEED} block ${block} ${types}`);
  }
  for (const kind of KINDS) await expectTransfers(site, oracle, kind, random);
  return counts;
}

async function expectTransfers(site: Site, oracle: ChainOracle, kind: string, random: Random): Promise<void> {
  const { transfers } = oracle.tokens;
  const { from, to, token, transaction } = random.pick(transfers.filter((one) => !/^0x0*$/.test(one.from)));
  const keysOf = (some: typeof transfers) => some.map((transfer) => transferKey(oracle.transfer(transfer)));
  const expected: [path: string, keys: string[]][] = [
    [`token-transfers?type=${kind}`, keysOf(transfers.filter((one) => one.kind === kind))],
    [
      `transactions/${transaction}/token-transfers?type=${kind}`,
      keysOf(transfers.filter((one) => one.transaction === transaction && one.kind === kind).toReversed()),
    ],
    [`addresses/${from}/token-transfers?filter=from`, keysOf(transfers.filter((one) => one.from === from))],
    [`addresses/${to}/token-transfers?filter=to`, keysOf(transfers.filter((one) => one.to === to))],
    [
      `addresses/${from}/token-transfers?filter=from&type=${kind},ERC-404&token=${token}`,
      keysOf(transfers.filter((one) => one.from === from && one.kind === kind && one.token === token)),
    ],
  ];
  for (const [path, keys] of expected) {
    const items = await walkFiltered(site, path, random.between(1, 30));
    assert.deepEqual(items.map(transferKey), keys, `seed ${SEED} ${path}`);
  }
}

const TRAFFIC = { addresses: 6, fresh: 0.1, transactions: [0, 6] as const, logs: [0, 5] as const };

test(`lists by type and direction are the chain's, also after it forked (seed ${SEED})`, async (t) => {
  const random = new Random(SEED);
  const site = await openSite(t, { seed: SEED, blocks: 40, traffic: TRAFFIC });
  for (let round = 0; round < 2; round++) {
    const counts = await expectFiltered(site, random);
    t.diagnostic(JSON.stringify(Object.fromEntries(counts)));
    for (const type of ["coin_transfer", "contract_call", "contract_creation", "token_transfer", "blob_transaction"])
      assert.ok(counts.get(type)! > 0, type);
    site.chain.fork(random.between(1, 12), random.between(1, 15));
    await site.index();
  }
});

async function openBlockscout(t: TestContext): Promise<Site> {
  return openSite(t, { seed: SEED, blocks: 40, traffic: TRAFFIC, settings: { compat: "blockscout" } });
}

test(`the transactions of an address are filtered and sorted for clients of Blockscout alone (seed ${SEED})`, async (t) => {
  const plain = await openSite(t, { seed: SEED, blocks: 40, traffic: TRAFFIC });
  const site = await openBlockscout(t);
  const random = new Random(SEED);
  const oracle = await readOracle(site);
  const { from } = random.pick(oracle.transactions).tx;
  const all = oracle.ofAddress(from).transactions;
  const path = `addresses/${from}/transactions`;
  const queries = ["filter=to", "filter=nonsense", "type=blob_transaction", "type=%00", "sort=value", "order=asc"];
  const expected = new Map([
    ["filter=from", all.filter(({ tx }) => tx.from === from)],
    [
      "filter=to",
      all.filter(({ tx, receipt }) => tx.to === from || (receipt.status !== "0x0" && receipt.contractAddress === from)),
    ],
    ["filter=from&order=asc", all.filter(({ tx }) => tx.from === from).toReversed()],
    ["type=coin_transfer", all.filter(({ tx }) => BigInt(tx.value as string) > 0n)],
  ]);

  for (const query of queries) {
    const items = await walk(plain, `${path}?${query}`, 7);
    assert.deepEqual(
      items.map(hashOf),
      all.map(({ tx }) => tx.hash),
      query,
    );
  }
  for (const [query, wanted] of expected) {
    const items = await walkFiltered(site, `${path}?${query}`, random.between(1, 9));
    assert.deepEqual(
      items.map(hashOf),
      wanted.map(({ tx }) => tx.hash),
      query,
    );
  }
  for (const bad of ["filter=nonsense", "type=x", "sort=gas", "order=up"])
    assert.equal((await site.fetch(`${path}?${bad}`)).status, 422, bad);
});

test(`they are sorted by value and fee with totals and any page (seed ${SEED})`, async (t) => {
  const site = await openBlockscout(t);
  const oracle = await readOracle(site);
  const { from } = new Random(SEED).pick(oracle.transactions).tx;
  const all = oracle.ofAddress(from).transactions;
  const path = `addresses/${from}/transactions`;
  const amountOf = ({ tx }: PlainMined) => BigInt(tx.value as string);
  const feeOf = (mined: PlainMined) => BigInt((oracle.listed(mined).fee as Json).value as string);
  const by = (rank: (mined: PlainMined) => bigint, sign: 1 | -1) => (one: PlainMined, other: PlainMined) =>
    rank(one) === rank(other) ? 0 : rank(one) < rank(other) ? -sign : sign;
  const expected = new Map([
    ["order=asc", all.toReversed()],
    ["sort=block_number&order=desc", all],
    ["sort=value&order=desc", all.toSorted(by(amountOf, -1))],
    ["sort=value&order=asc", all.toSorted(by(amountOf, 1))],
    ["sort=fee&order=desc", all.toSorted(by(feeOf, -1))],
    ["sort=fee&order=asc&filter=from", all.filter(({ tx }) => tx.from === from).toSorted(by(feeOf, 1))],
  ]);

  for (const [query, wanted] of expected) {
    const hashes = wanted.map(({ tx }) => tx.hash);
    const items = await walk(site, `${path}?${query}`, 4, async ({ total_count, total_pages }) =>
      assert.deepEqual([total_count, total_pages], [hashes.length, Math.ceil(hashes.length / 4)], query),
    );
    assert.deepEqual(items.map(hashOf), hashes, query);
    const last = await site.list(`${path}?${query}`, { page: Math.ceil(hashes.length / 3), page_size: 3 });
    assert.deepEqual(last.items.map(hashOf), hashes.slice(3 * Math.floor((hashes.length - 1) / 3)), query);
  }
});

test("a list that has no such filter refuses it, and says which", async (t) => {
  const site = await openSite(t, { seed: SEED, blocks: 3 });
  const cases: [path: string, parameter: string][] = [
    ["blocks?sort=size", "sort"],
    ["transactions?type=coin", "type"],
    ["transactions?type=coin_transfer&page=2", "page"],
    ["transactions?type=coin_transfer&anchor=3-3", "anchor"],
    ["transactions?type=coin_transfer&anchor=after-1-0x12", "anchor"],
    ["transactions?sort=value", "sort"],
    ["transactions?order=asc", "order"],
    ["main-page/transactions?type=coin_transfer", "type"],
    ["blocks/1/transactions?filter=pending", "filter"],
    ["token-transfers?type=ERC20", "type"],
    ["token-transfers?filter=from", "filter"],
    [`addresses/0x${"1".repeat(40)}/token-transfers?filter=both`, "filter"],
    [`addresses/0x${"1".repeat(40)}/logs?order=asc`, "order"],
    [`addresses/0x${"1".repeat(40)}/token-balances?type=ERC-20`, "type"],
  ];

  for (const [path, parameter] of cases) {
    const { status, body } = await site.fetch(path);
    const [fault] = (body.errors ?? []) as { source: { pointer: string } }[];
    assert.deepEqual([status, fault?.source.pointer], [422, `/${parameter}`], path);
  }
  assert.equal((await site.list("transactions?type=")).page, 1);
});
