import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { createApp } from "../../src/api/app.ts";
import { SETTINGS } from "../support/api.ts";
import type { Entry, Listed } from "../support/exchange/drivenExchange.ts";
import { DrivenExchange } from "../support/exchange/drivenExchange.ts";
import { exchangeSettings } from "../support/exchange/indexed.ts";
import type { ScenePool } from "../support/exchange/scene.ts";

let exchange: DrivenExchange;
let driver: DrivenExchange["driver"];
let indexed: DrivenExchange["indexed"];
let pools: readonly Entry[];

before(async () => {
  exchange = await DrivenExchange.open();
  ({ driver, indexed, pools } = exchange);
});

after(() => exchange[Symbol.asyncDispose]());

const sceneOf = (entry: Entry) => exchange.sceneOf(entry);
const eachPool: DrivenExchange["eachPool"] = (check) => exchange.eachPool(check);

describe("2.2 prices of the explorer", () => {
  test("`exchange_rate` and `coin_price` come from the same pools", async () => {
    const { WETH, ALT } = driver.scene.tokens;
    const priceOf = async (address: string) =>
      (await indexed.get<{ data: Entry }>(`/api/v1/tokens/${address}/price`)).body.data.priceUsd;
    const [coin, rate] = [await priceOf(WETH.address), await priceOf(ALT.address)];

    const token = (await indexed.get(`/api/v2/tokens/${ALT.address}`)).body;
    const stats = (await indexed.get("/api/v2/stats")).body;
    const action = (await indexed.get<{ result: Entry }>("/api?module=stats&action=coinprice")).body.result;

    assert.ok(Number(coin) > 0 && Number(rate) > 0);
    assert.deepEqual([token.exchange_rate, token.coin_price, stats.coin_price], [rate, coin, coin]);
    assert.equal(action.coin_usd, coin);
  });

  test("transactions, found tokens and gas have the same prices, and `tvl` is what all pools hold of anchors", async () => {
    const { WETH, ALT } = driver.scene.tokens;
    const { priceUsd } = (await indexed.get<{ data: Entry }>(`/api/v1/tokens/${WETH.address}/price`)).body.data;
    const token = (await indexed.get(`/api/v2/tokens/${ALT.address}`)).body;
    const listed = (await indexed.get<{ items: Entry[] }>("/api/v2/transactions")).body.items[0]!;
    const transaction = (await indexed.get(`/api/v2/transactions/${listed.hash}`)).body;
    const found = (await indexed.get<{ items: Entry[] }>(`/api/v2/search?q=${ALT.address}`)).body.items;
    const headers = { "updated-gas-oracle": "true" };
    const stats = (await indexed.app.inject({ url: "/api/v2/stats", headers })).json<Entry>();
    const { average } = stats.gas_prices as { average: { wei: string; fiat_price: string } };
    const { USDA, USDB } = driver.scene.tokens;
    const rates = new Map<ScenePool["token0"], number>([
      [USDA, 1],
      [USDB, 1],
      [WETH, Number(priceUsd)],
    ]);
    let locked = 0;
    eachPool(({ token0Amount, token1Amount }, { token0, token1 }) => {
      locked += Number(token0Amount) * (rates.get(token0) ?? 0) + Number(token1Amount) * (rates.get(token1) ?? 0);
    });

    assert.deepEqual([listed.exchange_rate, transaction.exchange_rate], [null, priceUsd]);
    assert.equal(found.find(({ type }) => type === "token")?.exchange_rate, token.exchange_rate);
    const expected = (Number(average.wei) * 21_000 * Number(priceUsd)) / 1e18;
    assert.ok(Math.abs(Number(average.fiat_price) / expected - 1) < 1e-6, `${average.fiat_price}, not ${expected}`);
    assert.ok(locked > 0 && Math.abs(Number(stats.tvl) / locked - 1) < 1e-9, `${stats.tvl}, not ${locked}`);
  });

  test("tokens and balances are listed by them on request", async () => {
    const list = async (path: string) => (await indexed.get<{ items: Entry[] }>(`/api/v2/${path}`)).body.items;
    const tokens = await list("tokens?sort=fiat_value&page_size=1000");
    const all = await list("tokens?page_size=1000");
    const rates = tokens.map(({ exchange_rate }) => Number(exchange_rate ?? 0));
    const [holder] = (await list(`tokens/${driver.scene.tokens.WETH.address}/holders`)) as unknown as {
      address: Entry;
    }[];
    const balances = await list(`addresses/${holder!.address.hash}/tokens?page_size=1000`);
    const values = balances.map(({ value, token }) => {
      const { exchange_rate, decimals } = token as unknown as Entry;
      return (Number(value) / 10 ** Number(decimals ?? 0)) * Number(exchange_rate ?? 0);
    });

    assert.ok(rates.filter((rate) => rate > 0).length > 2);
    assert.deepEqual(
      rates,
      rates.toSorted((a, b) => b - a),
    );
    assert.equal(tokens.length, all.length);
    assert.ok(values.filter((value) => value > 0).length > 1);
    assert.deepEqual(
      values,
      values.toSorted((a, b) => b - a),
    );
  });

  test("they are null without stables, as on a testnet, and pools are sorted by their value in coins", async () => {
    const settings = { ...exchangeSettings(driver.scene), stables: [] };
    const app = createApp({ store: indexed.store, exchange: settings, settings: { ...SETTINGS, chainId: 968 } });
    const get = async (url: string) => (await app.inject({ method: "GET", url })).json<Entry & Listed>();

    const token = await get(`/api/v2/tokens/${driver.scene.tokens.ALT.address}`);
    const { data } = await get("/api/v1/pools?page_size=100");
    await app.close();

    assert.deepEqual([token.exchange_rate, token.coin_price], [null, null]);
    assert.equal(data.length, pools.length);
    for (const { volumeUsd24, fees24Usd, fdvUsd } of data) {
      assert.deepEqual([volumeUsd24, fees24Usd, fdvUsd], ["0", "0", "0"]);
    }
    const hasCoin = data.map((entry) =>
      [sceneOf(entry).token0, sceneOf(entry).token1].includes(driver.scene.tokens.WETH),
    );
    assert.ok(hasCoin[0], "what holds the coin itself comes first");
  });
});

describe("pools of a factory that nobody configured", () => {
  test("have the name of the exchange whose code it has, and set prices", async () => {
    const settings = { ...exchangeSettings(driver.scene), factories: [] };
    const app = createApp({ store: indexed.store, exchange: settings, settings: SETTINGS });
    const get = async (url: string) => (await app.inject({ method: "GET", url })).json<Listed & { data: Entry }>();

    const { data } = await get("/api/v1/pools?page_size=100");
    const { data: price } = await get(`/api/v1/tokens/${driver.scene.tokens.WETH.address}/price`);
    await app.close();

    assert.equal((data as readonly Entry[]).length, pools.length);
    for (const entry of data as readonly Entry[]) {
      assert.equal(entry.dex, sceneOf(entry).version === 2 ? "Uniswap V2" : "Uniswap V3");
    }
    assert.ok(Number(price.priceUsd) > 0);
  });
});
