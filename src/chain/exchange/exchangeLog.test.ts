import assert from "node:assert/strict";
import { test } from "node:test";
import { POOL_TOPICS, poolLog } from "../../../test/support/simulatedPools.ts";
import { toHex } from "../encoding/hex.ts";
import {
  readAmounts,
  readBurnV3,
  readFeeProtocol,
  readMintV3,
  readPairCreated,
  readPoolCreated,
  readSwapV2,
  readSwapV3,
} from "./exchangeFields.ts";
import { EXCHANGE_TOPICS, exchangeEventOf } from "./exchangeLog.ts";
import { readSolidlyPair, readSolidlyPool } from "./solidly.ts";

const address = (fill: number) => new Uint8Array(20).fill(fill);
const [POOL, ONE, TWO] = [address(0xaa), address(1), address(2)];

test("the topics are those that the contracts emit", () => {
  const found = Object.entries(EXCHANGE_TOPICS).map(([event, topic]) => [event, toHex(topic)]);

  assert.deepEqual(Object.fromEntries(found), { ...POOL_TOPICS });
});

test("nine bits of the topic identify the event", () => {
  const bits = Object.values(POOL_TOPICS).map(
    (topic) => Number.parseInt(topic.slice(58, 60), 16) * 2 + (Number.parseInt(topic.slice(60, 62), 16) % 2),
  );
  assert.equal(new Set(bits).size, bits.length);
});

test("a log of another form is of no event", () => {
  const sync = poolLog("sync", POOL, [], [1, 2]);

  assert.equal(exchangeEventOf(sync), "sync");
  assert.equal(exchangeEventOf({ ...sync, data: sync.data.subarray(1) }), undefined);
  assert.equal(exchangeEventOf({ ...sync, topics: new Uint8Array(0) }), undefined);
  assert.equal(exchangeEventOf(poolLog("sync", POOL, [7], [1, 2])), undefined);
  const forged = sync.topics.slice();
  forged[31]!++;
  assert.equal(exchangeEventOf({ ...sync, topics: forged }), undefined);
  // An ERC-20 Transfer is not a position transfer.
  assert.equal(exchangeEventOf(poolLog("transferPosition", POOL, [1, 2], [3])), undefined);
});

test("creations name a pool and its tokens, where these are addresses", () => {
  const pair = readPairCreated(poolLog("pairCreated", POOL, [ONE, TWO], [address(3), 9]))!;
  const pool = readPoolCreated(poolLog("poolCreated", POOL, [ONE, TWO, 3000], [-60, address(3)]))!;

  assert.deepEqual(pair, {
    ...{ type: "v2", factory: POOL, pool: address(3), token0: ONE, token1: TWO },
    ...{ fee: undefined, tickSpacing: undefined, hooks: undefined },
  });
  assert.deepEqual(pool, { ...pair, type: "v3", fee: 3000, tickSpacing: -60 });
  const first = readSolidlyPair(poolLog("solidlyPair", POOL, [ONE, TWO], [1, address(3), 9]))!;
  const second = readSolidlyPool(poolLog("solidlyPool", POOL, [ONE, TWO, 0], [address(3), 9]))!;
  assert.deepEqual(first, { ...pair, type: "stable", generation: 1 });
  assert.deepEqual(second, { ...pair, type: "volatile", generation: 2 });
  assert.equal(readSolidlyPair(poolLog("solidlyPair", POOL, [ONE, TWO], [2, address(3), 9])), undefined);
  const tooLong = new Uint8Array(21).fill(5);
  assert.equal(readPairCreated(poolLog("pairCreated", POOL, [tooLong, TWO], [address(3), 9])), undefined);
  assert.equal(readPoolCreated(poolLog("poolCreated", POOL, [ONE, TWO, 1], [1, tooLong])), undefined);
});

test("what a swap moved is what went in less what came out", () => {
  const pair = readSwapV2(poolLog("swapV2", POOL, [ONE, TWO], [100, 0, 97, 20]));
  const pool = readSwapV3(poolLog("swapV3", POOL, [ONE, TWO], [-5n, 8n, 2n ** 100n, 77, -887272]));
  const pancake = readSwapV3(poolLog("swapPancake", POOL, [ONE, TWO], [3n, -4n, 1, 2, 3, 11, 12]));

  assert.deepEqual([pair.amount0, pair.amount1, pair.input0, pair.input1], [3n, -20n, 100n, 0n]);
  assert.deepEqual([pool.amount0, pool.amount1, pool.input0, pool.input1], [-5n, 8n, 0n, 8n]);
  assert.deepEqual([pool.sqrtPrice, pool.liquidity, pool.tick, pool.protocolFee0], [2n ** 100n, 77n, -887272, 0n]);
  assert.deepEqual([pancake.protocolFee0, pancake.protocolFee1], [11n, 12n]);
});

test("liquidity comes and goes between ticks of either sign", () => {
  const mint = readMintV3(poolLog("mintV3", POOL, [ONE, -60, 120], [TWO, 5, 6, 7]));
  const burn = readBurnV3(poolLog("burnV3", POOL, [ONE, -60, 120], [5, 6, 7]));

  assert.deepEqual(mint, { owner: ONE, tickLower: -60, tickUpper: 120, liquidity: 5n, amount0: 6n, amount1: 7n });
  assert.deepEqual(burn, mint);
  assert.deepEqual(readFeeProtocol(poolLog("setFeeProtocol", POOL, [], [1, 2, 4, 10])), [4, 10]);
  assert.deepEqual(readAmounts(poolLog("flash", POOL, [ONE, TWO], [1, 2, 3, 4]), 2), [3n, 4n]);
});
