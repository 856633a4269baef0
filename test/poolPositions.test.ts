import assert from "node:assert/strict";
import { test } from "node:test";
import { fromHex, toHex } from "../src/chain/encoding/hex.ts";
import { openQueryContext } from "../src/query/context.ts";
import { listPoolPositions } from "../src/query/pools/poolPositions.ts";
import { ExchangeDriver } from "./support/exchange/driver.ts";
import { exchangeSettings, IndexedExchange } from "./support/exchange/indexed.ts";
import { Random } from "./support/random.ts";
import { firstSeed } from "./support/seed.ts";

const SEED = firstSeed();
const ACTIONS = Number(process.env.ORIEL_CASES ?? 60);

test(`positions of pools are the shares and ranges that the contracts have, most valuable first, and pools have names from the first page on (seed ${SEED})`, async (t) => {
  const driver = await ExchangeDriver.open(new Random(SEED));
  const settings = exchangeSettings(driver.scene);
  const indexed = await IndexedExchange.open(driver.chain, settings);
  t.after(async () => {
    await indexed.close();
    await driver.close();
  });
  for (let done = 0; done < ACTIONS; done += 5) await driver.act(5);
  await indexed.observe();
  const context = openQueryContext({ store: indexed.store, exchange: settings });
  const reading = await driver.reading();
  const seen = { shares: 0, ranges: 0 };

  for (const pool of driver.scene.pools) {
    const found = await listPoolPositions(context, pool.address, { page: 1, pageSize: 100 });
    const { positions = [], total = 0 } = found ?? {};
    const where = `${pool.version} ${pool.token0.symbol}/${pool.token1.symbol}`;
    if (pool.version === 2) {
      const held = [...(reading.shares.get(pool.address) ?? [])].filter(([, shares]) => shares > 0n);
      for (const [holder, shares] of held) {
        const own = positions.find(({ owner }) => toHex(owner) === holder);
        const { balance0, balance1, supply } = reading.pairs.get(pool.address)!;
        const expected = [shares, (shares * balance0) / supply, (shares * balance1) / supply];
        assert.deepEqual([own?.liquidity, own?.amount0, own?.amount1], expected, where);
        seen.shares++;
      }
    } else {
      const expected = new Map<string, bigint>();
      for (const { lower, upper, liquidity, ...own } of reading.positions.values()) {
        const range = `${lower} ${upper}`;
        const isHere = own.token0 === pool.token0.address && own.token1 === pool.token1.address && own.fee === pool.fee;
        if (isHere && liquidity > 0n) expected.set(range, (expected.get(range) ?? 0n) + liquidity);
      }
      const managed = positions.filter(({ owner }) => toHex(owner) === driver.scene.v3.positions);
      const ranges = new Map(managed.map(({ ticks, liquidity }) => [ticks!.join(" "), liquidity]));
      assert.deepEqual([...ranges].sort(), [...expected].sort(), where);
      seen.ranges += ranges.size;
    }
    const values = positions.map(({ value }) => value);
    if (pool.version === 3)
      assert.deepEqual(
        values,
        values.toSorted((one, other) => Number(other - one)),
        where,
      );
    const page = await indexed.app.inject({
      url: `/pools/${pool.address}?tab=positions`,
      headers: { accept: "text/html" },
    });
    assert.equal(page.statusCode, 200);
    assert.equal(page.body.match(/<li data-key=/g)?.length ?? 0, Math.min(total, 25), where);
  }

  const { names } = openQueryContext({ store: indexed.store, exchange: settings });
  const named = driver.scene.pools.find(({ token0 }) => token0.symbol === "USDA")!;
  await names.ready();
  assert.equal(names.of(fromHex(named.address)), undefined, "nothing was learned before");
  names.watch(assert.fail, 60_000);
  await names.ready();
  assert.equal(names.of(fromHex(named.address))?.kind, "pool", "a page that waited has the names of pools");
  names.close();
  t.diagnostic(JSON.stringify(seen));
  assert.ok(seen.shares > 3 && seen.ranges > 3, JSON.stringify(seen));
});
