import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { test } from "node:test";
import type { Hex } from "../src/chain/encoding/hex.ts";
import { fromHex, toHex } from "../src/chain/encoding/hex.ts";
import { formatFraction } from "../src/exchange/decimal.ts";
import { managedId } from "../src/store/stages/exchange/position.ts";
import { ExchangeDriver } from "./support/exchange/driver.ts";
import { exchangeSettings, IndexedExchange } from "./support/exchange/indexed.ts";
import type { PlainFigures } from "./support/exchange/plain.ts";
import { plainEvents, plainWindow, wholeTokens } from "./support/exchange/plain.ts";
import type { ListedPool } from "./support/exchange/plainAdapter.ts";
import { expectAdapterEvents } from "./support/exchange/plainAdapter.ts";
import { expectSubgraphs } from "./support/exchange/plainSubgraph.ts";
import type { ScenePool } from "./support/exchange/scene.ts";
import { expectBatches } from "./support/exchange/subgraphRounds.ts";
import { expectActions } from "./support/expectActions.ts";
import { fingerprint } from "./support/fingerprint/fingerprint.ts";
import { Random } from "./support/random.ts";
import { firstSeed } from "./support/seed.ts";

const SEED = firstSeed();
const ACTIONS = Number(process.env.ORIEL_CASES ?? 150);

async function open(t: TestContext, seed: number) {
  const random = new Random(seed);
  const driver = await ExchangeDriver.open(random);
  const indexed = await IndexedExchange.open(driver.chain, exchangeSettings(driver.scene));
  t.after(async () => {
    await indexed.close();
    await driver.close();
  });
  return { random, driver, indexed };
}

/** Compares pools and positions with the contracts at the head. */
async function expectAsContracts({ store }: IndexedExchange, driver: ExchangeDriver, label: string): Promise<void> {
  const reading = await driver.reading();
  const { pools, v3 } = driver.scene;
  await store.read(async (session) => {
    const ids = await session.exchange.ids(pools.map(({ address }) => fromHex(address)));
    const states = await session.exchange.states([...ids.values()]);
    const holders = await session.addresses.ids(pools.map(({ address }) => fromHex(address)));
    const byHex = new Map([...holders].map(([address, id]) => [toHex(address), id]));
    for (const { address, version, token0, token1 } of pools) {
      const id = ids.get(address.slice(2));
      const state = states.get(id!)!;
      const tokens = await Promise.all([token0, token1].map((token) => session.addresses.id(fromHex(token.address))));
      const held = await session.tokens.balances(tokens.map((token) => [byHex.get(address)!, token!]));
      const where = `${label}: pool ${address} of ${token0.symbol}/${token1.symbol}`;
      if (version === 2) {
        const pair = reading.pairs.get(address)!;
        assert.deepEqual([state.reserve0, state.reserve1], [pair.reserve0, pair.reserve1], where);
        assert.deepEqual(held, [pair.balance0, pair.balance1], where);
        continue;
      }
      const pool = reading.pools.get(address)!;
      const reported = [state.sqrtPrice, state.tick, state.liquidity, state.feeProtocol0 + 16 * state.feeProtocol1];
      assert.deepEqual(reported, [pool.sqrtPrice, pool.tick, pool.liquidity, pool.feeProtocol], where);
      assert.deepEqual(held, [pool.balance0, pool.balance1], where);
    }
    for (const [id, expected] of reading.positions) {
      const tokenId = fromHex(`0x${id.toString(16).padStart(64, "0")}`);
      const position = await session.exchange.position(managedId(fromHex(v3.positions), tokenId));
      const { owner, lower, upper, liquidity } = expected;
      const reported = position && [toHex(position.owner), position.tickLower, position.tickUpper, position.liquidity];
      assert.deepEqual(reported, [owner, lower, upper, liquidity], `${label}: position ${id}`);
    }
  });
}

type Entry = Readonly<Record<string, string>>;

const DAY = 86_400;

/**
 * Figures of a day, swaps and candles against a plain recomputation from all receipts; answers of how many pools the volume
 * changed against the day before.
 */
async function expectAsReceipts(indexed: IndexedExchange, driver: ExchangeDriver, label: string): Promise<number> {
  const { chain, scene } = driver;
  const events = plainEvents(chain, scene.pools);
  const { timestamp } = chain.head.header;
  let changes = 0;
  const { data } = (await indexed.get<{ data: readonly Entry[] }>("/api/v1/pools?page_size=100")).body;
  const prices = new Map<string, number>();
  for (const { address } of Object.values(scene.tokens)) {
    const { body } = await indexed.get<{ data: Entry }>(`/api/v1/tokens/${address}/price`);
    prices.set(address, Number(body.data.priceUsd));
  }
  for (const entry of data) {
    const pool = scene.pools.find(({ address }) => address === entry.poolId!.toLowerCase())!;
    const where = `${label}: ${pool.address}`;
    const day = plainWindow(events, pool.address, timestamp - DAY, timestamp);
    const volumes = new Map([
      [pool.token0.address, wholeTokens(day.volume0, pool.token0.decimals)],
      [pool.token1.address, wholeTokens(day.volume1, pool.token1.decimals)],
    ] as const);
    const [base, quote] = [entry.baseTokenAddress!, entry.quoteTokenAddress!].map((one) => one.toLowerCase() as Hex);
    assert.equal(entry.baseTokenVolume24, volumes.get(base!), where);
    assert.equal(entry.quoteTokenVolume24, volumes.get(quote!), where);
    assert.equal(entry.transactionsH24, String(day.transactions), where);
    const values = [base!, quote!].map((token) => Number(volumes.get(token)) * prices.get(token)!);
    // Few actions may leave the coin without a price.
    const anchors = [scene.tokens.USDA, scene.tokens.USDB, scene.tokens.WETH].filter(({ address }) =>
      prices.get(address),
    );
    const [isBase, isQuote] = [base, quote].map((token) => anchors.some(({ address }) => address === token));
    const dollars = isBase && isQuote ? (values[0]! + values[1]!) / 2 : isQuote ? values[1]! : Math.min(...values);
    expectNear(Number(entry.volumeUsd24), dollars, where);
    expectNear(Number(entry.fees24Usd), (dollars * pool.fee) / 1e6, where);
    if (!isBase && STABLES.some((name) => scene.tokens[name].address === quote)) {
      const before = plainWindow(events, pool.address, timestamp - 2 * DAY, timestamp - DAY);
      assert.equal(entry.volumeChangePercent, plainChange(pool, quote!, day, before), where);
      if (Number(entry.volumeChangePercent) !== 0) changes++;
    }
    await expectHistory(indexed, pool, plainWindow(events, pool.address, 0, timestamp), where);
  }
  return changes;
}

const STABLES = ["USDA", "USDB"] as const;

/** By how many percent more of the quote token was traded than the day before, to four places. */
function plainChange({ token0 }: ScenePool, quote: Hex, now: PlainFigures, before: PlainFigures): string {
  const [traded, then] = [now, before].map(({ volume0, volume1 }) => (token0.address === quote ? volume0 : volume1));
  return then === 0n ? "0" : formatFraction((traded! - then!) * 100n, then!, 4);
}

/** All swaps, page by page, and all candles of a pool. */
async function expectHistory(indexed: IndexedExchange, pool: ScenePool, all: PlainFigures, where: string) {
  const url = `/api/v1/pools/${pool.address}`;
  const { meta } = (await indexed.get<{ meta: { total: number } }>(`${url}/swaps?page_size=1`)).body;
  assert.equal(meta.total, all.swaps, where);
  const { data } = (await indexed.get<{ data: readonly Entry[] }>(`${url}/candles?interval=4h&limit=1000`)).body;
  assert.equal(
    data.reduce((sum, { swaps }) => sum + Number(swaps), 0),
    all.swaps,
    where,
  );
  for (const [at, candle] of data.entries()) {
    const { open, high, low, close } = candle;
    assert.ok(Number(low) <= Number(open) && Number(low) <= Number(close), where);
    assert.ok(Number(high) >= Number(open) && Number(high) >= Number(close), where);
    if (at > 0) assert.equal(open, data[at - 1]!.close, where);
  }
}

/** Pools of which programs that list exchanges learn: those whose tokens say their decimals. */
const listedPools = (pools: readonly ScenePool[]): ListedPool[] =>
  pools.flatMap(({ address, version, token0: { decimals: decimals0 }, token1: { decimals: decimals1 } }) => {
    if (decimals0 === null || decimals1 === null) return [];
    const kind = version === 2 ? "pair" : "ticks";
    return [{ id: address, emitter: address, kind, decimals: [decimals0, decimals1] }];
  });

/** Prices in responses have 18 digits, so sums of them are not exact. */
function expectNear(actual: number, expected: number, where: string): void {
  assert.ok(Math.abs(actual - expected) <= 1e-6 + Math.abs(expected) * 1e-6, `${where}: ${actual}, not ${expected}`);
}

test(`${ACTIONS} actions: reserves, balances, prices and positions are the contracts' own at every block, reorgs or not (seed ${SEED})`, async (t) => {
  const { random, driver, indexed } = await open(t, SEED);
  await indexed.index();
  await expectAsContracts(indexed, driver, "the scene");
  const sceneEnd = driver.chain.height;
  for (let done = 0; done < ACTIONS; ) {
    const count = random.between(1, 8);
    await driver.act(count);
    done += count;
    if (random.chance(0.08)) {
      await driver.rewind(Math.max(driver.chain.height - random.between(1, 4), sceneEnd));
      await driver.act(random.between(1, 3));
    }
    await indexed.index();
    await expectAsContracts(indexed, driver, `seed ${SEED}, block ${driver.chain.height}`);
  }

  await indexed.observe();
  const changes = await expectAsReceipts(indexed, driver, `seed ${SEED}`);
  const listed = listedPools(driver.scene.pools);
  await expectAdapterEvents(indexed, driver.chain, listed, `seed ${SEED}`);
  await expectSubgraphs(indexed, driver, `seed ${SEED}`);
  await expectBatches(indexed, driver);
  const again = driver.chain.height - random.between(1, 6);
  await driver.rewind(again);
  await driver.act(3);
  await indexed.observe();
  await expectAsReceipts(indexed, driver, `seed ${SEED}, again from block ${again}`);
  await expectAdapterEvents(indexed, driver.chain, listed, `seed ${SEED}, again from block ${again}`);
  await expectSubgraphs(indexed, driver, `seed ${SEED}, again from block ${again}`);
  const { factories, wrappedCoin: wrapped } = exchangeSettings(driver.scene);
  const known = { factories: factories.map(({ address }) => address), wrapped: wrapped! };
  const kinds = await expectActions(driver.chain.development, known, (url) => indexed.get(url));
  assert.deepEqual(await driver.reading(), await driver.readAll());
  const fresh = await IndexedExchange.open(driver.chain);
  t.after(() => fresh.close());
  await fresh.index();
  assert.equal(await indexed.store.read(fingerprint), await fresh.store.read(fingerprint));
  t.diagnostic(`the volume of ${changes} pools changed`);
  t.diagnostic(JSON.stringify(Object.fromEntries(kinds)));
  t.diagnostic([...driver.done].map(([name, { sent, succeeded }]) => `${name} ${succeeded}/${sent}`).join(", "));
});
