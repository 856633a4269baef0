import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { test } from "node:test";
import { fromHex, toHex } from "../src/chain/encoding/hex.ts";
import { fingerprint } from "../src/store/audit/fingerprint.ts";
import { managedId } from "../src/store/exchange/position.ts";
import { ExchangeDriver } from "./support/exchange/driver.ts";
import { exchangeSettings, IndexedExchange } from "./support/exchange/indexed.ts";
import { Random } from "./support/random.ts";

const SEED = Number(process.env.ORIEL_SEED ?? Math.floor(Math.random() * 2 ** 31));
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

/** What the index says of every pool and position against what the contracts say at its head. */
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
      const told = [state.sqrtPrice, state.tick, state.liquidity, state.feeProtocol0 + 16 * state.feeProtocol1];
      assert.deepEqual(told, [pool.sqrtPrice, pool.tick, pool.liquidity, pool.feeProtocol], where);
      assert.deepEqual(held, [pool.balance0, pool.balance1], where);
    }
    for (const [id, expected] of reading.positions) {
      const tokenId = fromHex(`0x${id.toString(16).padStart(64, "0")}`);
      const position = await session.exchange.position(managedId(fromHex(v3.positions), tokenId));
      const { owner, lower, upper, liquidity } = expected;
      const told = position && [toHex(position.owner), position.tickLower, position.tickUpper, position.liquidity];
      assert.deepEqual(told, [owner, lower, upper, liquidity], `${label}: position ${id}`);
    }
  });
}

test(`${ACTIONS} actions: reserves, balances, prices and positions are the contracts' own at every block, reorgs or not (seed ${SEED})`, async (t) => {
  const { random, driver, indexed } = await open(t, SEED);
  await indexed.index();
  await expectAsContracts(indexed, driver, "the scene");
  for (let done = 0; done < ACTIONS; ) {
    const count = random.between(1, 8);
    await driver.act(count);
    done += count;
    if (random.chance(0.08)) {
      await driver.rewind(driver.chain.height - random.between(1, 4));
      await driver.act(random.between(1, 3));
    }
    await indexed.index();
    await expectAsContracts(indexed, driver, `seed ${SEED}, block ${driver.chain.height}`);
  }

  assert.deepEqual(await driver.reading(), await driver.readAll());
  const fresh = await IndexedExchange.open(driver.chain);
  t.after(() => fresh.close());
  await fresh.index();
  assert.equal(await indexed.store.read(fingerprint), await fresh.store.read(fingerprint));
  t.diagnostic([...driver.done].map(([name, { sent, succeeded }]) => `${name} ${succeeded}/${sent}`).join(", "));
});
