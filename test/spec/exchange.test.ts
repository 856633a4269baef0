import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Entry } from "../support/exchange/drivenExchange.ts";
import { DrivenExchange } from "../support/exchange/drivenExchange.ts";
import { wholeTokens } from "../support/exchange/plain.ts";

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
const list = (url: string) => exchange.list(url);

const lower = (value: unknown) => String(value).toLowerCase();

const PLAIN = /^(0|-?(0|[1-9]\d*)(\.\d*[1-9])?)$/;

const NUMERIC = [
  ...["feeTier", "token0Amount", "token1Amount", "baseTokenVolume24", "quoteTokenVolume24", "volumeUsd24"],
  ...["volumeChangePercent", "fees24Usd", "feeApr", "fdvUsd", "tvlChangePercent", "transactionsH24"],
];

describe("2.5 pair entry", () => {
  let pairs: readonly Entry[];
  before(async () => {
    pairs = (await list("/api/v1/pairs")).data;
    assert.equal(pairs.length, driver.scene.pools.length);
  });

  test("`chain_id` is the chain ID as a number", () => {
    for (const { chain_id } of pairs) assert.equal(chain_id, 677);
  });

  test("`pair` is the address of the pool, spelled as `poolId` is", () => {
    assert.deepEqual(pairs.map(({ pair }) => pair).sort(), pools.map(({ poolId }) => poolId).sort());
  });

  test("`poolType` is `v2` or `v3`", () => {
    for (const entry of pairs) assert.equal(entry.poolType, `v${sceneOf(entry).version}`);
  });

  test("`token0` is the address of the first token", () => {
    for (const entry of pairs) assert.equal(lower(entry.token0), sceneOf(entry).token0.address);
  });

  test("`token1` is the address of the second token", () => {
    for (const entry of pairs) assert.equal(lower(entry.token1), sceneOf(entry).token1.address);
  });
});

describe("2.6 pool entry", () => {
  test("all fields are strings, numbers among them plain decimals, except `hasUserLiquidity`", () => {
    eachPool((entry) => {
      for (const [name, value] of Object.entries(entry)) {
        assert.equal(typeof value, name === "hasUserLiquidity" ? "boolean" : "string", name);
      }
      for (const name of NUMERIC) assert.match(String(entry[name]), PLAIN, name);
    });
  });

  test("`poolId` is the pool contract address", () => {
    assert.deepEqual(
      pools.map(({ poolId }) => lower(poolId)).sort(),
      driver.scene.pools.map((pool) => pool.address).sort(),
    );
  });

  test("`name` is the symbols of token0 and token1", () => {
    eachPool(({ name }, { token0, token1 }) => assert.equal(name, `${token0.symbol}/${token1.symbol}`));
  });

  test("`dex` is the name of the exchange", () => {
    eachPool(({ dex }, { version }) => assert.equal(dex, `Uniswap V${version}`));
  });

  test("`poolType` is `v2` or `v3`", () => {
    eachPool(({ poolType }, { version }) => assert.equal(poolType, `v${version}`));
  });

  test("`feeTier` is in hundredths of a basis point", () => {
    eachPool(({ feeTier }, { fee }) => assert.equal(feeTier, String(fee)));
  });

  test("`baseTokenAddress` and `quoteTokenAddress` are the tokens; stables quote, then the wrapped coin, then token1", () => {
    const { USDA, USDB, WETH } = driver.scene.tokens;
    const rank = (address: string) => [WETH, USDB, USDA].findIndex((token) => token.address === address) > 0;
    eachPool((entry, { token0, token1 }) => {
      const [base, quote] = [lower(entry.baseTokenAddress), lower(entry.quoteTokenAddress)];
      assert.deepEqual([base, quote].sort(), [token0.address, token1.address].sort());
      if (rank(base)) assert.ok(rank(quote), "a stable is the base only of another");
      if (base === WETH.address) assert.ok(rank(quote));
    });
  });

  test("`token0Amount` and `token1Amount` are what the contracts hold, in whole tokens", async () => {
    const reading = await driver.reading();
    eachPool((entry, { address, version, token0, token1 }) => {
      const held = version === 2 ? reading.pairs.get(address)! : reading.pools.get(address)!;
      assert.equal(entry.token0Amount, wholeTokens(held.balance0, token0.decimals));
      assert.equal(entry.token1Amount, wholeTokens(held.balance1, token1.decimals));
    });
  });

  test("`baseTokenVolume24` and `quoteTokenVolume24` are 0 for all or for none, and not for every pool", () => {
    eachPool(({ baseTokenVolume24, quoteTokenVolume24 }) => {
      if (baseTokenVolume24 === "0") assert.equal(quoteTokenVolume24, "0");
    });
    assert.ok(pools.some(({ baseTokenVolume24 }) => baseTokenVolume24 !== "0"));
  });

  test("`volumeUsd24` is the 24-hour volume in USD, of a pool with a stable about that of the stable", () => {
    const { USDA, USDB } = driver.scene.tokens;
    for (const entry of pools) {
      const { token0, token1 } = sceneOf(entry);
      const stables = [token0, token1].filter((token) => token === USDA || token === USDB);
      if (stables.length !== 1 || [token0, token1].includes(driver.scene.tokens.WETH)) continue;
      assert.equal(
        entry.volumeUsd24,
        Number(entry.quoteTokenVolume24)
          .toFixed(8)
          .replace(/\.?0+$/, ""),
      );
    }
  });

  test("`volumeChangePercent` is 0 without a day before", () => {
    eachPool(({ volumeChangePercent }) => assert.equal(volumeChangePercent, "0"));
  });

  test("`fees24Usd` is the volume times the fee", () => {
    eachPool(({ fees24Usd, volumeUsd24, feeTier }) => {
      const expected = (Number(volumeUsd24) * Number(feeTier)) / 1e6;
      assert.ok(Math.abs(Number(fees24Usd) - expected) <= 1e-6 + expected * 1e-9, `${fees24Usd} ${expected}`);
    });
  });

  test("`feeApr` is a fraction: the fees of a year, less the protocol's, of what is locked", async () => {
    for (const { poolId, feeApr, fees24Usd } of pools) {
      const { data } = (await indexed.get<{ data: Entry }>(`/api/v1/pools/${poolId}`)).body;
      const gross = (Number(fees24Usd) * 365) / Number(data.tvlUsd);
      assert.ok(Number(feeApr) <= gross * 1.2 + 1e-8, `${feeApr} ${gross}`);
      assert.ok(Number(feeApr) >= gross * 0.6 - 1e-8, `${feeApr} ${gross}`);
    }
  });

  test("`fdvUsd` is the supply of the base token at its price", async () => {
    for (const { fdvUsd, baseTokenAddress } of pools) {
      const price = (await indexed.get<{ data: Entry }>(`/api/v1/tokens/${baseTokenAddress}/price`)).body.data;
      const token = (await indexed.get(`/api/v2/tokens/${baseTokenAddress}`)).body;
      const supply = Number(token.total_supply) / 10 ** Number(token.decimals ?? 0);
      const expected = supply * Number(price.priceUsd);
      assert.ok(Math.abs(Number(fdvUsd) / expected - 1) < 1e-6, `${fdvUsd} ${expected}`);
    }
  });

  test("`tvlChangePercent` is 0 without a day before", () => {
    eachPool(({ tvlChangePercent }) => assert.equal(tvlChangePercent, "0"));
  });

  test("`transactionsH24` is a count", () => {
    eachPool(({ transactionsH24 }) => assert.match(String(transactionsH24), /^\d+$/));
  });

  test("`hasUserLiquidity` is false without a user, and for each user what pairs and positions say", async () => {
    eachPool(({ hasUserLiquidity }) => assert.equal(hasUserLiquidity, false));
    const { shares, positions } = await driver.reading();
    let both = 0;
    for (const { address: user } of driver.chain.actors) {
      for (const name of ["user", "user_address"]) {
        for (const entry of (await list(`/api/v1/pools?page_size=100&${name}=${user}`)).data) {
          const { address, version, token0, token1, fee } = sceneOf(entry);
          const owned = [...positions.values()].some(
            (one) =>
              one.owner === user &&
              one.liquidity > 0n &&
              one.fee === fee &&
              one.token0 === token0.address &&
              one.token1 === token1.address,
          );
          const expected = version === 2 ? shares.get(address)!.get(user)! > 0n : owned;
          assert.equal(entry.hasUserLiquidity, expected, `${user} in ${address}`);
          both |= expected ? 1 : 2;
        }
      }
    }
    assert.equal(both, 3);
  });
});

describe("2.7 token entry", () => {
  let tokens: readonly Entry[];
  before(async () => {
    tokens = (await list("/api/v1/tokens")).data;
    assert.equal(tokens.length, Object.keys(driver.scene.tokens).length);
  });

  const sceneToken = ({ token_address }: Entry) =>
    Object.values(driver.scene.tokens).find(({ address }) => address === lower(token_address))!;

  test("`id` is a number of its own", () => {
    assert.equal(new Set(tokens.map(({ id }) => id)).size, tokens.length);
    for (const { id } of tokens) assert.equal(typeof id, "number");
  });

  test("`token_address` is the token contract address", () => {
    for (const entry of tokens) assert.ok(sceneToken(entry));
  });

  test("`chain_id` is the chain ID", () => {
    for (const { chain_id } of tokens) assert.equal(chain_id, 677);
  });

  test("`symbol`, `name` and `decimals` are what the token says", () => {
    for (const entry of tokens) {
      const { symbol, decimals } = sceneToken(entry);
      const own: Readonly<Record<string, string>> = { WETH: "Wrapped Ether", DTT: "Deflating Test Token" };
      assert.deepEqual([entry.symbol, entry.name], [symbol, own[symbol] ?? `${symbol} token`]);
      assert.equal(entry.decimals, decimals ?? 0);
    }
  });

  test("`last_updated` is a time, not before the token was first seen and not after the newest block", () => {
    const newest = `${new Date(driver.chain.head.header.timestamp * 1000).toISOString().slice(0, 19)}Z`;
    for (const { last_updated, first_seen_at } of tokens) {
      assert.match(String(last_updated), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
      assert.ok(String(first_seen_at) <= String(last_updated) && String(last_updated) <= newest);
    }
  });

  test("`created_at` is the zero timestamp", () => {
    for (const { created_at } of tokens) assert.equal(created_at, "0001-01-01T00:00:00Z");
  });
});

describe("4.4 endpoints", () => {
  test("`/api/v1/pairs` answers `data` and `success`, of `pool_type` all, v2 or v3, all by default", async () => {
    for (const [query, versions] of [
      ["", [2, 3]],
      ["?pool_type=all", [2, 3]],
      ["?pool_type=v2", [2]],
      ["?pool_type=v3", [3]],
    ] as const) {
      const body = await list(`/api/v1/pairs${query}`);
      assert.deepEqual(Object.keys(body).sort(), ["data", "success"]);
      assert.equal(body.success, true);
      const expected = driver.scene.pools.filter(({ version }) => (versions as readonly number[]).includes(version));
      assert.deepEqual(
        body.data.map(({ pair }) => lower(pair)),
        expected.map(({ address }) => address).reverse(),
      );
    }
  });

  test("`/api/v1/pools` answers `data`, `meta`, `code` 0 and `success`", async () => {
    const body = await list("/api/v1/pools");
    assert.deepEqual(Object.keys(body).sort(), ["code", "data", "meta", "success"]);
    assert.deepEqual([body.code, body.success], [0, true]);
  });

  test("`/pools` is sorted by total value locked, highest first", async () => {
    const values: number[] = [];
    for (const { poolId } of pools) {
      const { data } = (await indexed.get<{ data: Entry }>(`/api/v1/pools/${poolId}`)).body;
      values.push(Number(data.tvlUsd));
    }
    assert.deepEqual(
      values,
      values.toSorted((one, other) => other - one),
    );
    assert.ok(values[0]! > values.at(-1)! && values.every((value) => value > 0));
  });

  test("`page_num` starts at 1 and `page_size` is the pools of a page; pages are the list in parts", async () => {
    const walked: unknown[] = [];
    for (let page = 1; page <= 4; page++) {
      const { data } = await list(`/api/v1/pools?page_num=${page}&page_size=5`);
      assert.equal(data.length, [5, 5, 2, 0][page - 1]);
      walked.push(...data.map(({ poolId }) => poolId));
    }
    assert.deepEqual(
      walked,
      pools.map(({ poolId }) => poolId),
    );
  });

  test("`meta` holds `count`, `page_num`, `page_size`, `pool_type`, `sort_by`, `sort_order` and `total`", async () => {
    const sort = { sort_by: "tvl", sort_order: "desc" };
    const expected = { count: 2, page_num: 3, page_size: 5, pool_type: "all", ...sort, total: 12 };
    assert.deepEqual((await list("/api/v1/pools?page_num=3&page_size=5")).meta, expected);
    const { meta } = await list("/api/v1/pools?pool_type=v2&page_size=1000");
    assert.deepEqual(meta, { count: 6, page_num: 1, page_size: 100, pool_type: "v2", ...sort, total: 6 });
    assert.equal((await list("/api/v1/pools")).meta.page_size, 20);
  });

  test("`/api/v1/tokens` answers `data`, newest first", async () => {
    const body = await list("/api/v1/tokens");
    assert.deepEqual(Object.keys(body), ["data"]);
    const ids = body.data.map(({ id }) => Number(id));
    assert.deepEqual(
      ids,
      ids.toSorted((one, other) => other - one),
    );
  });

  test("bad input is `success` false, a `code` that is not 0, a message and HTTP 400", async () => {
    const bad = ["pools?pool_type=v9", "pools?page_num=0", "pools?page_num=x", "pools?page_size=0", "pools?user=0x1"];
    const worse = ["pairs?pool_type=none", "pairs?page_num=-1", "tokens?page_size=1.5", "pools/0x1", "tokens/x/price"];
    const candles = `pools/${driver.scene.pools[0]!.address}/candles?`;
    const others = [`${candles}interval=2m`, `${candles}limit=0`, `${candles}before=x`, "pools?page_num=1&page_num=2"];
    for (const path of [...bad, ...worse, ...others, "pools?user_address=me"]) {
      const { status, body } = await indexed.get<Entry>(`/api/v1/${path}`);
      assert.deepEqual([status, body.success, body.code], [400, false, 400], path);
      assert.match(
        String(body.message),
        /^(page_num|page_size|pool_type|user|user_address|address|interval|limit|before) must be /,
      );
    }
  });

  test("paths are the exchange's below `/api/v1`, and `/api/v1` itself the module/action API's", async () => {
    const action = await indexed.get<Entry>("/api/v1?module=block&action=eth_block_number");
    assert.equal(Number(action.body.result), driver.chain.height);
    const unknown = await indexed.get<Entry>("/api/v1/nothing");
    assert.deepEqual([unknown.status, unknown.body.success, unknown.body.code], [404, false, 404]);
    const none = await indexed.get<Entry>(`/api/v1/pools/0x${"1".repeat(40)}`);
    assert.deepEqual([none.status, none.body.success], [404, false]);
  });
});
