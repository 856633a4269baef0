import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { createApp } from "../src/api/app.ts";
import { SETTINGS } from "./support/api.ts";
import { ExchangeDriver } from "./support/exchange/driver.ts";
import { exchangeSettings, IndexedExchange } from "./support/exchange/indexed.ts";
import { Random } from "./support/random.ts";
import { firstSeed } from "./support/seed.ts";
import { shownText } from "./support/webPages.ts";

const SEED = firstSeed();
const ROUNDS = Number(process.env.ORIEL_CASES ?? 10);

type Entry = Readonly<Record<string, string>>;

interface Priced {
  readonly priceUsd: string;
  readonly route: readonly Entry[];
}

const hasSameAmounts = (point: Entry | undefined, then: Entry) =>
  point?.token0Amount === then.token0Amount && point?.token1Amount === then.token1Amount;

describe(`what pools hold (seed ${SEED})`, () => {
  let driver: ExchangeDriver;
  let indexed: IndexedExchange;
  /** Pools according to the API at earlier blocks. */
  const reported = new Map<number, ReadonlyMap<string, Entry>>();

  before(async () => {
    driver = await ExchangeDriver.open(new Random(SEED));
    indexed = await IndexedExchange.open(driver.chain, exchangeSettings(driver.scene));
    await indexed.observe();
    for (let round = 0; round < ROUNDS; round++) {
      await driver.act(3);
      await indexed.index();
      reported.set(driver.chain.height, await readPools());
    }
  });
  after(async () => {
    await indexed.close();
    await driver.close();
  });

  const read = async <T>(path: string) => (await indexed.get<{ data: T }>(`/api/v1${path}`)).body.data;

  async function readPools(): Promise<ReadonlyMap<string, Entry>> {
    const details = driver.scene.pools.map(
      async ({ address }) => [address, await read<Entry>(`/pools/${address}`)] as const,
    );
    return new Map(await Promise.all(details));
  }

  test("the history equals what the API returned then, except for direct transfers to a pool", async (t) => {
    const histories = new Map<string, ReadonlyMap<number, Entry>>();
    for (const { address } of driver.scene.pools) {
      const history = await read<readonly Entry[]>(`/pools/${address}/tvl?interval=1m&limit=1000`);
      histories.set(address, new Map(history.map((point) => [Number(point.timestamp), point])));
    }
    let compared = 0;
    for (const [block, pools] of reported) {
      const minute = minuteOf(block);
      if (block < driver.chain.height && minuteOf(block + 1) === minute) continue;
      const given = [...pools].filter(([address, then]) => !hasSameAmounts(histories.get(address)!.get(minute), then));
      const others = new Set(given.map(([address]) => address));
      for (const [address, then] of pools) {
        const point = histories.get(address)!.get(minute);
        if (point === undefined || (await sourcesOf(address)).some((source) => others.has(source))) continue;
        assert.equal(point.tvlUsd, then.tvlUsd, `${address} after block ${block}`);
        compared++;
      }
    }
    t.diagnostic(`${compared} values compared`);
    assert.ok(compared >= 10);
  });

  test("a view that followed every block says what a new one says", async () => {
    const exchange = exchangeSettings(driver.scene);
    const app = createApp({ store: indexed.store, exchange, settings: { ...SETTINGS, chainId: 677 } });
    const tokens = Object.values(driver.scene.tokens).map(({ address }) => `/api/v1/tokens/${address}/price`);
    for (const url of ["/api/v1/pools?page_size=100", "/api/v2/stats", ...tokens]) {
      assert.deepEqual((await indexed.get(url)).body, (await app.inject({ url })).json(), url);
    }
    await app.close();
  });

  test("the newest value is that of the pool now", async () => {
    for (const [address, now] of await readPools()) {
      const points = await read<readonly Entry[]>(`/pools/${address}/tvl?limit=3`);
      const { tvlUsd, token0Amount, token1Amount } = points.at(-1)!;

      assert.deepEqual([tvlUsd, token0Amount, token1Amount], [now.tvlUsd, now.token0Amount, now.token1Amount]);
      const isBaseFirst = now.baseTokenAddress!.toLowerCase() < now.quoteTokenAddress!.toLowerCase();
      const [base, quote] = isBaseFirst ? [token0Amount, token1Amount] : [token1Amount, token0Amount];
      const inQuote = Number(quote) + Number(base) * Number(now.price);
      // Prices have 18 digits, and some tokens 6 after the point.
      const rounding = inQuote * 1e-6 + Number(base) * 1e-18 + 1e-6;
      assert.ok(Math.abs(Number(points.at(-1)!.tvlQuote) - inQuote) <= rounding, address);
    }
  });

  test("the page of a pool shows the figures of the API", async () => {
    for (const [address, now] of await readPools()) {
      const headers = { accept: "text/html" };
      const pages = ["trades", "price"].map(async (tab) => {
        return (await indexed.app.inject({ url: `/pools/${address}?range=24h&tab=${tab}`, headers })).body;
      });
      const page = (await Promise.all(pages)).join("");
      const shown = new Set([...page.matchAll(/<data[^>]* value="([^"]*)"/g)].map(([, value]) => value!));
      const show = (value: unknown) => assert.ok(shown.has(String(value)), `${address} shows no ${value}`);

      for (const name of ["price", "tvlUsd", "volumeUsd24", "fees24Usd", "transactionsH24"]) show(now[name]);
      for (const candle of await read<readonly Entry[]>(`/pools/${address}/candles?interval=15m&limit=96`)) {
        for (const name of ["open", "high", "low", "close", "quoteVolume"]) show(candle[name]);
      }
      const points = await read<readonly Entry[]>(`/pools/${address}/tvl?interval=15m&limit=96`);
      const isPriced = points.some(({ tvlUsd }) => tvlUsd !== "0");
      for (const { tvlUsd, tvlQuote } of points) show(isPriced ? tvlUsd : tvlQuote);
      for (const token of [now.baseTokenAddress!, now.quoteTokenAddress!]) {
        const { priceUsd, route } = await read<Priced>(`/tokens/${token}/price`);
        if (priceUsd === "0") assert.match(shownText(page), /has no price in US dollars/);
        else for (const price of [priceUsd, ...route.map((step) => step.priceUsd)]) show(price);
        for (const { pool } of route) assert.ok(page.includes(`href="/pools/${pool}"`));
      }
    }
  });

  test("the list of pools as CSV has the figures of the API", async () => {
    const { body, headers } = await indexed.app.inject({ url: "/pools/csv?exchanges=all" });
    const [columns, ...lines] = body.trimEnd().split("\r\n");
    const rows = new Map(lines.map((line) => [line.split(",")[0]!.toLowerCase(), line.split(",")]));
    const at = (name: string) => columns!.split(",").indexOf(name);

    assert.match(String(headers["content-type"]), /^text\/csv/);
    assert.equal(rows.size, driver.scene.pools.length);
    for (const [address, now] of await readPools()) {
      const row = rows.get(address)!;
      const figures = ["Price in quote token", "Value locked (USD)", "Volume 24 h (USD)", "Fees 24 h (USD)"];
      assert.deepEqual(
        figures.map((name) => row[at(name)]),
        [now.price, now.tvlUsd, now.volumeUsd24, now.fees24Usd],
        address,
      );
    }
  });

  test("`feeApr` of a pair is 365 days of its daily fees relative to its value, without direct transfers", async () => {
    const { tokens, pools } = driver.scene;
    const pairs = pools.filter(({ version }) => version === 2);
    const { chain } = driver;
    for (const { address, token0, token1 } of pairs) {
      const stable = [token0, token1].find((token) => token === tokens.USDA || token === tokens.USDB);
      if (stable === undefined) continue;
      const amount = stable.unit * 50_000n;
      await chain.send(chain.builder, stable.address, "transfer(address,uint256)", address, amount);
    }
    await indexed.index();

    const rates = [...(await readPools())].flatMap(([address, { fees24Usd, feeApr, tvlUsd }]) => {
      if (!pairs.some((pair) => pair.address === address) || tvlUsd === "0") return [];
      return { address, apr: Number(feeApr), expected: (Number(fees24Usd) * 365) / Number(tvlUsd) };
    });

    assert.ok(rates.some(({ apr }) => apr > 0));
    for (const { address, apr, expected } of rates) {
      assert.ok(Math.abs(apr - expected) <= 1e-8 + expected * 1e-6, `${address}: ${apr}, not ${expected}`);
    }
  });

  /** The pools that a pool's value depends on: itself, those its tokens are priced by, and those of the anchors. */
  async function sourcesOf(address: string): Promise<string[]> {
    const { tokens, pools } = driver.scene;
    const { token0, token1 } = pools.find((pool) => pool.address === address)!;
    const prices = await Promise.all([token0, token1].map((token) => read<Priced>(`/tokens/${token.address}/price`)));
    const anchors = [tokens.USDA, tokens.USDB, tokens.WETH].map((token) => token.address);
    const anchored = pools.filter(
      (pool) => anchors.includes(pool.token0.address) && anchors.includes(pool.token1.address),
    );
    const routes = prices.flatMap(({ route }) => route.map(({ pool }) => pool!.toLowerCase()));
    return [address, ...routes, ...anchored.map((pool) => pool.address)];
  }

  function minuteOf(block: number): number {
    const { timestamp } = driver.chain.node.context.chain.expectBlock(block).header;
    return Math.floor(timestamp / 60) * 60;
  }
});
