import assert from "node:assert/strict";
import { test } from "node:test";
import type { Hex } from "../src/chain/encoding/hex.ts";
import { formatFraction } from "../src/exchange/decimal.ts";
import { ExchangeDriver } from "./support/exchange/driver.ts";
import { exchangeSettings, IndexedExchange } from "./support/exchange/indexed.ts";
import type { PlainFigures } from "./support/exchange/plain.ts";
import { plainEvents, plainLogs, plainWindow, wholeTokens } from "./support/exchange/plain.ts";
import { readContracts } from "./support/exchange/reading.ts";
import type { ScenePool } from "./support/exchange/scene.ts";
import { deployToken } from "./support/exchange/scene.ts";
import { Random } from "./support/random.ts";
import { firstSeed } from "./support/seed.ts";

type Entry = Readonly<Record<string, string>>;

interface Listed {
  readonly data: readonly Entry[];
  readonly meta: { readonly total: number; readonly sort_by: string; readonly sort_order: string };
}

const SEED = firstSeed();
const ACTIONS = Number(process.env.ORIEL_CASES ?? 60);
const HOUR = 3600;
const DAY = 86_400;
const PERIODS = { H1: HOUR, H6: 6 * HOUR, H24: DAY, D7: 7 * DAY, D30: 30 * DAY } as const;

interface Exchanges {
  readonly driver: ExchangeDriver;
  readonly indexed: IndexedExchange;
}

async function listPools({ indexed }: Exchanges, query = "", pageSize = 100): Promise<Listed> {
  const { status, body } = await indexed.get<Listed>(`/api/v1/pools?page_size=${pageSize}&${query}`);
  assert.equal(status, 200, query);
  return body;
}

const sceneOf = ({ driver }: Exchanges, { poolId }: Entry): ScenePool =>
  driver.scene.pools.find(({ address }) => address === poolId!.toLowerCase())!;

/** The last block at least so many seconds before the head; -1 if there is none. */
function markOf({ driver: { chain } }: Exchanges, seconds: number): number {
  const start = chain.head.header.timestamp - seconds;
  let number = chain.height;
  while (number >= 0 && chain.node.context.chain.expectBlock(number).header.timestamp > start) number--;
  return number;
}

type Price = readonly [numerator: bigint, denominator: bigint];

/** Token1 per token0 by the contracts at a block, if the pool was there. */
async function priceAt({ driver }: Exchanges, pool: ScenePool, block: number): Promise<Price | undefined> {
  if (block < 0) return undefined;
  const wanted = { pools: [pool], positions: [], holders: [] };
  const reading = await readContracts(driver.chain, driver.scene, block, wanted).catch(() => undefined);
  const [pair, own] = [reading?.pairs.get(pool.address), reading?.pools.get(pool.address)];
  if (pair !== undefined && pair.reserve0 > 0n) return [pair.reserve1, pair.reserve0];
  return own === undefined || own.sqrtPrice === 0n ? undefined : [own.sqrtPrice ** 2n, 1n << 192n];
}

function changeOf(then: Price | undefined, now: Price | undefined, isInverse: boolean): string {
  if (then === undefined || now === undefined) return "0";
  const [before, after] = isInverse ? [then.toReversed(), now.toReversed()] : [then, now];
  const base = before[0]! * after[1]!;
  return formatFraction((after[0]! * before[1]! - base) * 100n, base, 4);
}

/** Two anchors count half each, one alone, and others nothing. */
function dollarsOf(
  exchanges: Exchanges,
  pool: ScenePool,
  traded: PlainFigures,
  prices: ReadonlyMap<Hex, number>,
): number {
  const { USDA, USDB, WETH } = exchanges.driver.scene.tokens;
  const sides = [
    [pool.token0, traded.volume0],
    [pool.token1, traded.volume1],
  ] as const;
  const values = sides.flatMap(([token, volume]) =>
    [USDA, USDB, WETH].includes(token)
      ? [Number(wholeTokens(volume, token.decimals)) * prices.get(token.address)!]
      : [],
  );
  return values.length === 0 ? 0 : values.reduce((sum, one) => sum + one) / values.length;
}

function expectNear(actual: string | undefined, expected: number, where: string): void {
  assert.ok(
    Math.abs(Number(actual) - expected) <= 1e-6 + Math.abs(expected) * 1e-6,
    `${where}: ${actual}, not ${expected}`,
  );
}

/** Figures of all periods by receipts and calls; answers how many prices changed. */
async function expectPeriods(exchanges: Exchanges): Promise<number> {
  const { driver, indexed } = exchanges;
  const { data } = await listPools(exchanges);
  const events = plainEvents(driver.chain, driver.scene.pools);
  const { timestamp } = driver.chain.head.header;
  const prices = new Map<Hex, number>();
  for (const { address } of Object.values(driver.scene.tokens)) {
    const { body } = await indexed.get<{ data: Entry }>(`/api/v1/tokens/${address}/price`);
    prices.set(address, Number(body.data.priceUsd));
  }
  let changed = 0;
  for (const entry of data) {
    const pool = sceneOf(exchanges, entry);
    const now = await priceAt(exchanges, pool, driver.chain.height);
    for (const [name, seconds] of Object.entries(PERIODS)) {
      const where = `${name} of ${pool.token0.symbol}/${pool.token1.symbol} ${pool.version}, seed ${SEED}`;
      const isInverse = entry.quoteTokenAddress!.toLowerCase() === pool.token0.address;
      const change = changeOf(await priceAt(exchanges, pool, markOf(exchanges, seconds)), now, isInverse);
      assert.equal(entry[`priceChangePercent${name}`], change, where);
      if (change !== "0") changed++;
      if (name === "H24") continue;
      const figures = plainWindow(events, pool.address, timestamp - seconds, timestamp);
      assert.equal(entry[`transactions${name}`], String(figures.transactions), where);
      const dollars = dollarsOf(exchanges, pool, figures, prices);
      expectNear(entry[`volumeUsd${name}`], dollars, where);
      expectNear(entry[`feesUsd${name}`], (dollars * pool.fee) / 1e6, where);
    }
  }
  return changed;
}

const SORTED: Readonly<Record<string, (entry: Entry) => number>> = {
  tvl: ({ tvlUsd }) => Number(tvlUsd),
  volume: ({ volumeUsd24 }) => Number(volumeUsd24),
  fees: ({ fees24Usd }) => Number(fees24Usd),
  apr: ({ feeApr }) => Number(feeApr),
  transactions: ({ transactionsH24 }) => Number(transactionsH24),
  created_at: ({ createdAt }) => Date.parse(createdAt!),
  price_change: ({ priceChangePercentH24 }) => Number(priceChangePercentH24),
};

async function expectSorts(exchanges: Exchanges): Promise<void> {
  const { data: all } = await listPools(exchanges);
  for (const [name, keyOf] of Object.entries(SORTED)) {
    const { data, meta } = await listPools(exchanges, `sort_by=${name}`);
    assert.deepEqual([meta.sort_by, meta.sort_order, meta.total], [name, "desc", all.length]);
    const keys = data.map(keyOf);
    assert.deepEqual(
      keys,
      [...keys].sort((a, b) => b - a),
      name,
    );
    assert.deepEqual(new Set(data.map(({ poolId }) => poolId)), new Set(all.map(({ poolId }) => poolId)));
    const ascending = await listPools(exchanges, `sort_by=${name}&sort_order=asc`);
    assert.deepEqual(ascending.data, data.toReversed(), name);
    const pages = [1, 2, 3].map((page) => listPools(exchanges, `sort_by=${name}&sort_order=asc&page_num=${page}`, 5));
    const paged = (await Promise.all(pages)).flatMap((page) => page.data);
    assert.deepEqual(paged, ascending.data.slice(0, 15));
  }
}

/** Random filters against the same filters of the whole list. */
async function expectFilters(exchanges: Exchanges, random: Random): Promise<void> {
  const { driver } = exchanges;
  const { data: all } = await listPools(exchanges);
  const { tokens, v2, v3 } = driver.scene;
  const lower = (text: string | undefined) => (text ?? "").toLowerCase();
  const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[values.length >> 1]!;
  const [tvl, volume] = [median(all.map(SORTED.tvl!)), median(all.map(SORTED.volume!))];
  const time = Math.floor(median(all.map(SORTED.created_at!)) / 1000);
  const hasToken = (entry: Entry, token: Hex) =>
    [entry.baseTokenAddress, entry.quoteTokenAddress].map(lower).includes(token);
  const [one, other] = [random.pick(Object.values(tokens)), random.pick(Object.values(tokens))];
  const choices: readonly (readonly [query: string, holds: (entry: Entry) => boolean])[] = [
    [`token=${one.address}`, (entry) => hasToken(entry, one.address)],
    [
      `token=${one.address},${other.address}`,
      (entry) => hasToken(entry, one.address) && hasToken(entry, other.address),
    ],
    ["dex=uniswap%20v2", ({ dex }) => dex === "Uniswap V2"],
    [`dex=${random.pick([v2.factory, v3.factory])}`, () => true],
    ["fee=500", ({ feeTier }) => feeTier === "500"],
    [`min_tvl=${tvl}`, ({ tvlUsd }) => Number(tvlUsd) >= tvl],
    [`min_volume=${volume}`, ({ volumeUsd24 }) => Number(volumeUsd24) >= volume],
    [`created_after=${time}`, ({ createdAt }) => Date.parse(createdAt!) / 1000 >= time],
    [`created_before=${time}`, ({ createdAt }) => Date.parse(createdAt!) / 1000 < time],
    ["pool_type=v3", ({ poolType }) => poolType === "v3"],
    [`search=${one.symbol.toLowerCase()}`, (entry) => hasToken(entry, one.address)],
    ["search=0x%20u%20n%20i%20s%20nothing-is-called-so", () => false],
    [
      `search=${one.symbol}%2F${other.symbol.slice(0, 3)}`,
      (entry) => {
        const shown = lower(`${entry.name} ${entry.baseTokenAddress} ${entry.quoteTokenAddress}`);
        return shown.includes(lower(one.symbol)) && shown.includes(lower(other.symbol.slice(0, 3)));
      },
    ],
  ];
  for (const [query, holds] of choices) {
    const { data, meta } = await listPools(exchanges, query);
    const isFactory = query.startsWith("dex=0x");
    const expected = all.filter(isFactory ? ({ factory }) => lower(factory) === query.slice(4) : holds);
    assert.deepEqual(data, expected, query);
    assert.equal(meta.total, expected.length, query);
  }
  const [first, second] = [random.pick(choices.slice(4)), random.pick(choices.slice(4))];
  const { data } = await listPools(exchanges, `${first[0]}&${second[0].replace(/^(search)/, "x$1")}`);
  const both = second[0].startsWith("search") ? first[1] : (entry: Entry) => first[1](entry) && second[1](entry);
  if (first[0].split("=")[0] !== second[0].split("=")[0]) assert.deepEqual(data, all.filter(both));
}

async function expectEvents(exchanges: Exchanges): Promise<Map<string, number>> {
  const { driver, indexed } = exchanges;
  const seen = new Map<string, number>();
  for (const pool of driver.scene.pools) {
    const logs = plainLogs(driver.chain, pool);
    for (const type of ["all", "swap", "mint", "burn", "collect"]) {
      const expected = logs.filter((log) => type === "all" || log.type === type).reverse();
      const found: Entry[] = [];
      for (let page = 1; ; page++) {
        const url = `/api/v1/pools/${pool.address}/events?type=${type}&page_size=7&page_num=${page}`;
        const { data, meta } = (await indexed.get<Listed>(url)).body;
        assert.equal(meta.total, expected.length, `${type} of ${pool.address}`);
        found.push(...data);
        if (data.length === 0) break;
      }
      const shown = found.map((event) => [
        event.type,
        event.transaction_hash,
        event.log_index,
        event.token0Amount,
        event.token1Amount,
      ]);
      const whole = (amount: bigint, decimals: number | null) =>
        amount < 0n ? `-${wholeTokens(-amount, decimals)}` : wholeTokens(amount, decimals);
      const plain = expected.map(({ type: own, transaction, logIndex, amounts }) => {
        return [
          own,
          transaction,
          logIndex,
          whole(amounts[0], pool.token0.decimals),
          whole(amounts[1], pool.token1.decimals),
        ];
      });
      assert.deepEqual(shown, plain, `${type} of ${pool.address}, seed ${SEED}`);
      seen.set(type, (seen.get(type) ?? 0) + expected.length);
    }
  }
  return seen;
}

async function expectTokens(exchanges: Exchanges): Promise<void> {
  const { driver, indexed } = exchanges;
  const { data: pools } = await listPools(exchanges);
  const { data: tokens } = (await indexed.get<Listed>("/api/v1/tokens")).body;
  for (const entry of tokens) {
    const address = entry.token_address!;
    const { status, body } = await indexed.get<{ data: Entry & { sameSymbol: readonly Entry[] } }>(
      `/api/v1/tokens/${address}`,
    );
    assert.equal(status, 200);
    const { data: detail } = body;
    for (const [name, value] of Object.entries(entry)) assert.deepEqual(detail[name], value, name);
    const own = pools.filter((pool) => [pool.baseTokenAddress, pool.quoteTokenAddress].includes(address));
    assert.equal(detail.pools, own.length);
    const sum = (name: string) => own.reduce((total, pool) => total + Number(pool[name]), 0);
    expectNear(detail.tvlUsd, sum("tvlUsd"), `${entry.symbol} locked`);
    expectNear(detail.volumeUsd24, sum("volumeUsd24"), `${entry.symbol} traded`);
    const { body: price } = await indexed.get<{ data: Entry }>(`/api/v1/tokens/${address}/price`);
    assert.equal(detail.priceUsd, own.length === 0 ? "0" : price.data.priceUsd);
    const same = tokens.filter(
      (one) => one !== entry && one.symbol !== "" && one.symbol!.toLowerCase() === entry.symbol!.toLowerCase(),
    );
    assert.equal(detail.copies, same.length, address);
    assert.deepEqual(
      detail.sameSymbol.map((one) => one.token_address).sort(),
      same.map((one) => one.token_address).sort(),
    );
  }
  assert.equal((await indexed.get(`/api/v1/tokens/${driver.scene.v2.factory}`)).status, 404);
}

test(`pools are found by filters and sorts, and their figures of all periods are those of the receipts, reorgs or not (seed ${SEED})`, async (t) => {
  const random = new Random(SEED);
  const driver = await ExchangeDriver.open(random);
  const indexed = await IndexedExchange.open(driver.chain, exchangeSettings(driver.scene));
  t.after(async () => {
    await indexed.close();
    await driver.close();
  });
  for (const symbol of ["USDA", "weth"]) {
    const copy = await deployToken(driver.chain, symbol, 18);
    await driver.chain.send(driver.chain.builder, copy, "mint(address,uint256)", driver.chain.builder.address, 5n);
  }
  await indexed.observe();
  const start = driver.chain.height;
  for (let done = 0; done < ACTIONS; done += 4) {
    await driver.act(4);
    if (done % 20 === 0) await driver.chain.idle(1, random.pick([HOUR, 9 * HOUR, 2 * DAY]));
  }
  await indexed.observe();
  const exchanges = { driver, indexed };
  const changed = await expectPeriods(exchanges);
  await expectSorts(exchanges);
  await expectFilters(exchanges, random);
  await driver.rewind(Math.max(driver.chain.height - random.between(1, 6), start));
  await driver.act(3);
  await indexed.observe();

  const again = await expectPeriods(exchanges);
  await expectSorts(exchanges);
  await expectFilters(exchanges, random);
  await expectTokens(exchanges);
  const events = await expectEvents(exchanges);

  assert.ok(changed + again > 5, `${changed + again} prices changed`);
  t.diagnostic([...events].map(([name, count]) => `${count} ${name}`).join(", "));
});

test("parameters that cannot be read are refused", async (t) => {
  const driver = await ExchangeDriver.open(new Random(1));
  const indexed = await IndexedExchange.open(driver.chain, exchangeSettings(driver.scene));
  t.after(async () => {
    await indexed.close();
    await driver.close();
  });
  await indexed.index();
  const refused = [
    ...["token=1", "token=0x12,", "fee=-1", "fee=x", "min_tvl=1e3", "min_tvl=-1", "min_volume=.", "created_after=now"],
    ...["sort_by=name", "sort_order=up", "search=a&search=b", `token=${`0x${"1".repeat(40)},`.repeat(3)}`],
  ];

  for (const query of refused) {
    const { status, body } = await indexed.get<{ success: boolean; code: number }>(`/api/v1/pools?${query}`);
    assert.deepEqual([status, body.success, body.code], [400, false, 400], query);
  }
  const pool = driver.scene.pools[0]!.address;
  assert.equal((await indexed.get(`/api/v1/pools/${pool}/events?type=sync`)).status, 400);
});
