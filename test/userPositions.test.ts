import assert from "node:assert/strict";
import { test } from "node:test";
import { encodeCall } from "../src/chain/abi/encodeCall.ts";
import type { Hex } from "../src/chain/encoding/hex.ts";
import { fromHex, quantity } from "../src/chain/encoding/hex.ts";
import { openQueryContext } from "../src/query/context.ts";
import { readShareEvents } from "../src/query/pools/readShares.ts";
import { ExchangeDriver } from "./support/exchange/driver.ts";
import { exchangeSettings, IndexedExchange } from "./support/exchange/indexed.ts";
import { expectLiquidity, readPrices } from "./support/exchange/liquidity.ts";
import { plainLogs, wholeTokens } from "./support/exchange/plain.ts";
import type { ScenePool } from "./support/exchange/scene.ts";
import { NEVER } from "./support/exchange/scene.ts";
import { Random } from "./support/random.ts";
import { firstSeed } from "./support/seed.ts";

interface Entry {
  readonly pool: string;
  readonly poolType: string;
  readonly manager: string | null;
  readonly tokenId: string | null;
  readonly tickLower: number | null;
  readonly tickUpper: number | null;
  readonly liquidity: string;
  readonly sharePercent: string;
  readonly inRange: boolean;
  readonly token0Amount: string;
  readonly token1Amount: string;
  readonly valueUsd: string;
  readonly uncollected0: string | null;
  readonly uncollected1: string | null;
  readonly uncollectedUsd: string | null;
}

interface Answer {
  readonly data: readonly Entry[];
  readonly meta: { readonly total: number; readonly block_number: number };
}

const SEED = firstSeed();
const ACTIONS = Number(process.env.ORIEL_CASES ?? 80);
const MAX_UINT128 = 2n ** 128n - 1n;

class Contracts {
  readonly driver: ExchangeDriver;

  constructor(driver: ExchangeDriver) {
    this.driver = driver;
  }

  async #ask(from: Hex, to: Hex, data: Hex): Promise<bigint[]> {
    const { development, height } = this.driver.chain;
    const question = { from, to, data, gas: quantity(50_000_000) };
    const answer = await development.ask<Hex>("eth_call", question, quantity(height));
    return (answer.slice(2).match(/.{64}/g) ?? []).map((word) => BigInt(`0x${word}`));
  }

  /** What a manager pays for a token: for its liquidity, and beyond that. */
  async closeManaged(owner: Hex, id: bigint, liquidity: bigint): Promise<readonly bigint[]> {
    const calls = [
      encodeCall("decreaseLiquidity((uint256,uint128,uint256,uint256,uint256))", [id, liquidity, 0n, 0n, NEVER]),
      encodeCall("collect((uint256,address,uint128,uint128))", [id, owner, MAX_UINT128, MAX_UINT128]),
    ];
    const words = await this.#ask(owner, this.driver.scene.v3.positions, encodeCall("multicall(bytes[])", calls));
    const [removed, collected] = [2, 3].map((at) => {
      const start = 2 + Number(words[at]!) / 32 + 1;
      return words.slice(start, start + 2);
    });
    return [removed![0]!, removed![1]!, collected![0]! - removed![0]!, collected![1]! - removed![1]!];
  }

  burn(owner: Hex, pool: Hex, entry: Entry): Promise<bigint[]> {
    const range = [entry.tickLower!, entry.tickUpper!] as const;
    return this.#ask(owner, pool, encodeCall("burn(int24,int24,uint128)", ...range, BigInt(entry.liquidity)));
  }

  poolOf({ pool }: Entry): ScenePool {
    return this.driver.scene.pools.find(({ address }) => address === pool.toLowerCase())!;
  }
}

async function listAll(indexed: IndexedExchange, user: Hex): Promise<Entry[]> {
  const entries: Entry[] = [];
  for (let page = 1; ; page++) {
    const url = `/api/v1/users/${user}/positions?page_size=4&page_num=${page}`;
    let { status, body } = await indexed.get<Answer>(url);
    assert.equal(status, 200, url);
    // A node that is busy does not always say what can be collected.
    const isAnswered = () => body.data.every(({ uncollected0 }) => uncollected0 !== null);
    for (let tries = 0; tries < 20 && !isAnswered(); tries++) ({ status, body } = await indexed.get<Answer>(url));
    entries.push(...body.data);
    if (body.data.length < 4) {
      assert.equal(body.meta.total, entries.length);
      return entries;
    }
  }
}

/** Every position of every user by the contracts; answers how many there are of each kind. */
async function expectPositions(contracts: Contracts, indexed: IndexedExchange, label: string) {
  const { driver } = contracts;
  const { v3, tokens } = driver.scene;
  const reading = await driver.reading();
  const prices = new Map<Hex, number>();
  for (const { address } of Object.values(tokens)) {
    const { body } = await indexed.get<{ data: { priceUsd: string } }>(`/api/v1/tokens/${address}/price`);
    prices.set(address, Number(body.data.priceUsd));
  }
  const seen = { shares: 0, managed: 0, direct: 0, fees: 0, out: 0 };
  for (const holder of driver.holders) {
    const entries = await listAll(indexed, holder);
    const expected = { shares: 0, managed: 0 };
    for (const shares of reading.shares.values()) if ((shares.get(holder) ?? 0n) > 0n) expected.shares++;
    for (const { owner, liquidity } of reading.positions.values()) {
      if (owner === holder && liquidity > 0n) expected.managed++;
    }
    assert.equal(entries.filter(({ poolType }) => poolType === "v2").length, expected.shares, label);
    assert.equal(entries.filter(({ tokenId }) => tokenId !== null).length, expected.managed, label);
    for (const entry of entries) {
      const pool = contracts.poolOf(entry);
      const where = `${label}: ${holder} in ${pool.token0.symbol}/${pool.token1.symbol} ${entry.tokenId}`;
      const found = [entry.token0Amount, entry.token1Amount, entry.uncollected0, entry.uncollected1];
      const whole = (amounts: readonly bigint[]) =>
        amounts.map((amount, at) => wholeTokens(amount, [pool.token0, pool.token1][at % 2]!.decimals));
      const value = [entry.token0Amount, entry.token1Amount]
        .map((amount, at) => Number(amount) * prices.get([pool.token0, pool.token1][at]!.address)!)
        .reduce((sum, one) => sum + one);
      assert.ok(
        Math.abs(Number(entry.valueUsd) - value) <= 1e-6 + value * 1e-9,
        `${where}: ${entry.valueUsd}, ${value}`,
      );
      if (entry.poolType === "v2") {
        const pair = reading.pairs.get(pool.address)!;
        const shares = reading.shares.get(pool.address)!.get(holder)!;
        const parts = [pair.balance0, pair.balance1].map((balance) => (shares * balance) / pair.supply);
        assert.deepEqual([entry.liquidity, ...found], [String(shares), ...whole([...parts, 0n, 0n])], where);
        assert.ok(
          Math.abs(Number(entry.sharePercent) - Number((shares * 10n ** 12n) / pair.supply) / 1e10) < 1e-6,
          where,
        );
        seen.shares++;
        continue;
      }
      const { tick } = reading.pools.get(pool.address)!;
      assert.equal(entry.inRange, entry.tickLower! <= tick && tick < entry.tickUpper!, where);
      if (!entry.inRange) seen.out++;
      if (entry.tokenId !== null) {
        const id = BigInt(entry.tokenId);
        const { lower, upper, liquidity } = reading.positions.get(id)!;
        const own = [entry.manager!.toLowerCase(), entry.tickLower, entry.tickUpper, entry.liquidity];
        assert.deepEqual(own, [v3.positions, lower, upper, String(liquidity)], where);
        assert.deepEqual(found, whole(await contracts.closeManaged(holder, id, liquidity)), where);
        if (Number(entry.uncollected0) > 0) seen.fees++;
        seen.managed++;
      } else {
        assert.deepEqual(found.slice(0, 2), whole(await contracts.burn(holder, pool.address, entry)), where);
        seen.direct++;
      }
    }
  }
  return seen;
}

/** Whose shares the router takes and burns in one transaction. */
async function removeShares(driver: ExchangeDriver): Promise<void> {
  const { chain, scene } = driver;
  const reading = await driver.reading();
  const signature = "removeLiquidity(address,address,uint256,uint256,uint256,address,uint256)";
  const intents = scene.pools.flatMap(({ address, token0, token1 }) =>
    chain.actors.flatMap((actor) => {
      const shares = reading.shares.get(address)?.get(actor.address) ?? 0n;
      const values = [token0.address, token1.address, shares / 3n, 0n, 0n, actor.address, NEVER] as const;
      return shares < 10n ** 6n || token0.symbol === "DTT"
        ? []
        : [
            chain.intent(actor, address, "approve(address,uint256)", scene.v2.router, shares),
            chain.intent(actor, scene.v2.router, signature, ...values),
          ];
    }),
  );
  await chain.mine(intents);
}

test(`positions of users, their amounts and their fees are what the contracts pay, reorgs or not (seed ${SEED})`, async (t) => {
  const random = new Random(SEED);
  const driver = await ExchangeDriver.open(random);
  const indexed = await IndexedExchange.open(driver.chain, exchangeSettings(driver.scene));
  t.after(async () => {
    await indexed.close();
    await driver.close();
  });
  const contracts = new Contracts(driver);
  await indexed.observe();
  const { chain, scene } = driver;
  const direct = scene.pools.find(({ version, token0 }) => version === 3 && token0.symbol !== "DTT")!;
  const ticks = [-600_000, 600_000] as const;
  const mint = (range: readonly [number, number]) =>
    chain.send(
      chain.builder,
      scene.trader,
      "mintV3(address,int24,int24,uint128)",
      direct.address,
      ...range,
      10n ** 13n,
    );
  await mint(ticks);
  // Out of range at any price that the traffic makes.
  await mint([600_000, 660_000]);
  const start = chain.height;
  const prices = new Map<number, ReadonlyMap<string, number>>();
  for (let done = 0; done < ACTIONS; done += 5) {
    await driver.act(5);
    await indexed.index();
    prices.set(chain.height, await readPrices(indexed, driver));
  }
  await removeShares(driver);
  await indexed.observe();
  prices.set(chain.height, await readPrices(indexed, driver));
  await expectPositions(contracts, indexed, `seed ${SEED}`);
  const events = {};
  for (const holder of driver.holders) await expectLiquidity(driver, indexed, holder, prices, events);
  await driver.rewind(Math.max(chain.height - 4, start));
  await driver.act(6);
  await indexed.observe();

  const seen = await expectPositions(contracts, indexed, `seed ${SEED}, after a reorg`);
  for (const number of prices.keys()) if (number > chain.height - 2) prices.delete(number);
  prices.set(chain.height, await readPrices(indexed, driver));
  for (const holder of driver.holders) await expectLiquidity(driver, indexed, holder, prices, events);
  const context = openQueryContext({ store: indexed.store, exchange: exchangeSettings(scene) });
  const countOf = (limit: number) =>
    context.exchange.read(async (session, view) => {
      const pair = view.listing.poolsByHex.get(scene.pools.find(({ version }) => version === 2)!.address)!;
      return (await readShareEvents(session, view, pair, fromHex(chain.builder.address), limit))?.length;
    });
  const shareEvents = (await countOf(1000))!;
  assert.ok(shareEvents > 0);
  assert.deepEqual([await countOf(shareEvents), await countOf(shareEvents - 1)], [shareEvents, undefined]);
  const named = async (position: string) => {
    const { status } = await indexed.get(`/api/v1/users/${scene.trader}/liquidity?position=${position}`);
    return status;
  };
  const [v2, v3] = [2, 3].map((version) => scene.pools.find((one) => one.version === version)!.address);
  for (const bad of ["", "1", `${v3}:x`, `${v3}:1:`, `${v3}:1:2:3`, `${v3}:-0:60`, `${scene.trader}:${2n ** 256n}`])
    assert.equal(await named(bad), 400, bad);
  for (const none of [v3!, scene.trader, `${v3}:-60:61`, `${v2}:-60:60`, `${scene.trader}:1`])
    assert.equal(await named(none), 404, none);
  const entries = await listAll(indexed, scene.trader);
  const [own] = entries.filter(({ tickLower, tokenId }) => tickLower === ticks[0] && tokenId === null);
  const signature = "burnV3(address,int24,int24,uint128)";
  await chain.send(chain.builder, scene.trader, signature, direct.address, ...ticks, BigInt(own!.liquidity));

  const [collected, burnt] = plainLogs(chain, direct).reverse();
  assert.deepEqual([collected!.type, burnt!.type], ["collect", "burn"]);
  const fees = [0, 1].map((at) => burnt!.amounts[at as 0 | 1] - collected!.amounts[at as 0 | 1]);
  const shown = [own!.uncollected0, own!.uncollected1];
  assert.deepEqual(shown, [
    wholeTokens(fees[0]!, direct.token0.decimals),
    wholeTokens(fees[1]!, direct.token1.decimals),
  ]);
  await indexed.index();
  assert.equal((await listAll(indexed, scene.trader)).length, entries.length - 1);
  t.diagnostic(JSON.stringify({ ...seen, ...events }));
  assert.ok(
    seen.shares > 0 && seen.managed > 5 && seen.direct > 0 && seen.fees > 0 && seen.out > 0,
    JSON.stringify(seen),
  );
});
