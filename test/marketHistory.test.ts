import assert from "node:assert/strict";
import { test } from "node:test";
import { STEADY_BLOCKS } from "../src/query/exchange/poolWindow.ts";
import { ExchangeDriver } from "./support/exchange/driver.ts";
import { exchangeSettings, IndexedExchange } from "./support/exchange/indexed.ts";
import { plainEvents } from "./support/exchange/plain.ts";
import type { ScenePool } from "./support/exchange/scene.ts";
import { Random } from "./support/random.ts";
import { firstSeed } from "./support/seed.ts";

const SEED = firstSeed();
const HOURS = 3;
const HOUR = 3600;

type Entry = Readonly<Record<string, string>>;

/** By the start of the period. */
function readTable(page: string, title: string): Map<number, number> {
  const [, rows] = new RegExp(`<summary>${title} as a table</summary>([\\s\\S]*?)</details>`).exec(page)!;
  const values = [...rows!.matchAll(/<tr data-time="(\d+)">.*?<data value="([^"]*)"/g)];
  return new Map(values.map(([, time, value]) => [Number(time), Number(value)]));
}

function expectNear(value: number | undefined, expected: number, message: string): void {
  assert.ok(Math.abs(value! - expected) <= expected * 1e-9 + 1e-6, `${message}: ${value}, not ${expected}`);
}

test(`value locked, volume and prices are those of the end of each hour (seed ${SEED})`, async (t) => {
  const driver = await ExchangeDriver.open(new Random(SEED));
  const { chain, scene } = driver;
  const indexed = await IndexedExchange.open(chain, exchangeSettings(scene));
  t.after(async () => {
    await indexed.close();
    await driver.close();
  });
  const { WETH, USDA, USDB } = scene.tokens;
  const read = async <T>(path: string) => (await indexed.get<{ data: T }>(`/api/v1${path}`)).body.data;
  const page = async (url: string) => (await indexed.app.inject({ url, headers: { accept: "text/html" } })).body;
  await chain.idle(STEADY_BLOCKS);
  await indexed.observe();
  /** Dollars of a coin at the end of each hour, as the API said then. */
  const coins = new Map<number, number>();
  for (let hour = 0; hour < HOURS; hour++) {
    await chain.mine([], HOUR - (chain.head.header.timestamp % HOUR));
    const start = chain.head.header.timestamp;
    for (let blocks = 0; blocks < 2; blocks++) await driver.act(5);
    await indexed.index();
    coins.set(start, Number((await read<Entry>(`/tokens/${WETH.address}/price`)).priceUsd));
  }

  const charts = await page("/charts?range=24h");
  const [locked, traded] = [readTable(charts, "Value locked"), readTable(charts, "Volume")];
  const prices = readTable(await page(`/token/${WETH.address}?range=24h`), "Price");

  const events = plainEvents(chain, scene.pools);
  for (const [start, coin] of coins) {
    const rates = new Map<ScenePool["token0"], number>([
      [USDA, 1],
      [USDB, 1],
      [WETH, coin],
    ]);
    let [held, swapped] = [0, 0];
    for (const pool of scene.pools) {
      const history = await read<readonly Entry[]>(`/pools/${pool.address}/tvl?interval=1h&limit=${HOURS + 2}`);
      const point = history.find(({ timestamp }) => Number(timestamp) === start);
      const rate = [rates.get(pool.token0), rates.get(pool.token1)] as const;
      if (point !== undefined) {
        held += Number(point.token0Amount) * (rate[0] ?? 0) + Number(point.token1Amount) * (rate[1] ?? 0);
      }
      const own = events.filter(
        (one) => one.pool === pool.address && Math.floor(one.timestamp / HOUR) * HOUR === start,
      );
      for (const { moved } of own) {
        if (moved === undefined) continue;
        const sides = [pool.token0, pool.token1].flatMap((token, at) =>
          rate[at] === undefined ? [] : [(Number(moved[at]) / 10 ** (token.decimals ?? 0)) * rate[at]],
        );
        if (sides.length > 0) swapped += sides.reduce((sum, side) => sum + side, 0) / sides.length;
      }
    }
    const time = new Date(start * 1000).toISOString();
    expectNear(prices.get(start), coin, `price, ${time}`);
    expectNear(locked.get(start), held, `value locked, ${time}`);
    expectNear(traded.get(start), swapped, `volume, ${time}`);
  }
  assert.ok([...traded.values()].some((value) => value > 0));
  assert.deepEqual(await page("/charts?range=24h"), charts, "what was computed before is kept");
});
