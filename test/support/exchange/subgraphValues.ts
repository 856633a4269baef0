import assert from "node:assert/strict";
import type { Hex } from "../../../src/chain/encoding/hex.ts";
import { toHex } from "../../../src/chain/encoding/hex.ts";
import { POOL_TOPICS } from "../simulatedPools.ts";
import type { Ask, Kind } from "./askSubgraph.ts";
import { expectNear, whole } from "./askSubgraph.ts";
import type { ExchangeDriver } from "./driver.ts";
import type { IndexedExchange } from "./indexed.ts";
import { plainEvents, plainWindow } from "./plain.ts";
import type { ScenePool, SceneToken } from "./scene.ts";

type Amounts = readonly [amount0: bigint, amount1: bigint];

/** What pools hold by their events: of pairs what they say last, of others what came without what went. */
function plainHoldings({ chain, scene }: ExchangeDriver): Map<Hex, Amounts> {
  const held = new Map<Hex, Amounts>(scene.pools.map(({ address }) => [address, [0n, 0n]]));
  for (let number = 0; number <= chain.height; number++) {
    for (const { address, topics, data } of chain.node.context.chain
      .expectBlock(number)
      .receipts.flatMap(({ logs }) => logs)) {
      const before = held.get(toHex(address));
      if (before === undefined) continue;
      const [a = 0n, b = 0n, c = 0n, d = 0n] = (toHex(data).slice(2).match(/.{64}/g) ?? []).map((word) =>
        BigInt(`0x${word}`),
      );
      const moves: Readonly<Record<string, Amounts>> = {
        [POOL_TOPICS.sync]: [a - before[0], b - before[1]],
        [POOL_TOPICS.swapV3]: [BigInt.asIntN(256, a), BigInt.asIntN(256, b)],
        [POOL_TOPICS.mintV3]: [c, d],
        [POOL_TOPICS.collect]: [-b, -c],
        [POOL_TOPICS.collectProtocol]: [-a, -b],
        [POOL_TOPICS.flash]: [c, d],
      };
      const [by0, by1] = moves[toHex(topics.subarray(0, 32))] ?? [0n, 0n];
      held.set(toHex(address), [before[0] + by0, before[1] + by1]);
    }
  }
  return held;
}

/** Sums of tokens and factories, and what is worth dollars by the prices of the exchange data API. */
export async function expectValues(
  ask: Ask,
  indexed: IndexedExchange,
  driver: ExchangeDriver,
  kind: Kind,
  where: string,
) {
  const { chain, scene } = driver;
  const own = scene.pools.filter(({ version }) => `v${version}` === kind);
  const held = plainHoldings(driver);
  const events = plainEvents(chain, scene.pools);
  const prices = new Map<Hex, number>();
  for (const { address } of Object.values(scene.tokens)) {
    const { body } = await indexed.get<{ data?: { priceUsd: string } }>(`/api/v1/tokens/${address}/price`);
    prices.set(address, Number(body.data?.priceUsd ?? 0));
  }
  const { USDA, USDB, WETH } = scene.tokens;
  const isAnchor = ({ address }: SceneToken) =>
    address === USDA.address || address === USDB.address || (address === WETH.address && prices.get(address)! > 0);
  const worth = (amount: unknown, { address }: SceneToken) => Math.abs(Number(amount)) * prices.get(address)!;
  const traded = ({ token0, token1 }: ScenePool, amount0: unknown, amount1: unknown) => {
    const sides = [
      ...(isAnchor(token0) ? [worth(amount0, token0)] : []),
      ...(isAnchor(token1) ? [worth(amount1, token1)] : []),
    ];
    return sides.reduce((sum, one) => sum + one, 0) / Math.max(sides.length, 1);
  };
  const [volume, tokenHeld, tokenTraded] =
    kind === "v2" ? ["tradeVolume", "totalLiquidity", "tradeVolumeUSD"] : ["volume", "totalValueLocked", "volumeUSD"];
  const [factory, pools] = kind === "v2" ? ["uniswapFactories", "pairs"] : ["factories", "pools"];
  const swapped =
    kind === "v2" ? "amount0In amount1In amount0Out amount1Out pair { id }" : "amount0 amount1 pool { id }";
  const answer = await ask(`{
    bundles { price: ${kind === "v2" ? "ethPrice" : "ethPriceUSD"} }
    tokens { id txCount derivedETH volume: ${volume} held: ${tokenHeld} traded: ${tokenTraded} }
    factories: ${factory} { id txCount count: ${kind === "v2" ? "pairCount" : "poolCount"} traded: totalVolumeUSD }
    pools: ${pools} { id volumeUSD volumeToken0 volumeToken1 ${kind === "v2" ? "" : "totalValueLockedToken0 totalValueLockedToken1 feesUSD feeTier"} }
    swaps(first: 200) { amountUSD ${swapped} }
  }`);

  const coin = prices.get(WETH.address)!;
  assert.equal(answer.bundles!.length, coin > 0 ? 1 : 0, where);
  if (coin > 0) expectNear(answer.bundles![0]!.price, coin, where);
  const poolOf = (id: unknown) => own.find(({ address }) => address === id)!;
  for (const found of answer.pools!) {
    const pool = poolOf(found.id);
    expectNear(found.volumeUSD, traded(pool, found.volumeToken0, found.volumeToken1), where);
    if (kind === "v2") continue;
    expectNear(found.feesUSD, (Number(found.volumeUSD) * Number(found.feeTier)) / 1e6, where);
    const [held0, held1] = held.get(pool.address)!;
    const expected = [whole(held0, pool.token0), whole(held1, pool.token1)];
    assert.deepEqual([found.totalValueLockedToken0, found.totalValueLockedToken1], expected, where);
  }
  for (const swap of answer.swaps!) {
    const pool = poolOf(((swap.pair ?? swap.pool) as { id: string }).id);
    const [net0, net1] =
      kind === "v2"
        ? [Number(swap.amount0In) - Number(swap.amount0Out), Number(swap.amount1In) - Number(swap.amount1Out)]
        : [swap.amount0, swap.amount1];
    expectNear(swap.amountUSD, traded(pool, net0, net1), where);
  }
  const sum = (some: readonly ScenePool[], of: (pool: ScenePool) => number) =>
    some.reduce((all, pool) => all + of(pool), 0);
  const transactions = (pool: ScenePool) =>
    plainWindow(events, pool.address, -1, Number.POSITIVE_INFINITY).transactions;
  const value = ({ address }: ScenePool) => Number(answer.pools!.find(({ id }) => id === address)!.volumeUSD);
  for (const found of answer.tokens!) {
    const token = Object.values(scene.tokens).find(({ address }) => address === found.id)!;
    const having = own.filter(({ token0, token1 }) => token0 === token || token1 === token);
    const side = ({ token0 }: ScenePool) => (token0 === token ? 0 : 1);
    const amount = having.reduce((all, pool) => all + held.get(pool.address)![side(pool)], 0n);
    const moved = having.reduce((all, pool) => {
      const { volume0, volume1 } = plainWindow(events, pool.address, -1, Number.POSITIVE_INFINITY);
      return all + [volume0, volume1][side(pool)]!;
    }, 0n);
    assert.deepEqual([found.held, found.volume], [whole(amount, token), whole(moved, token)], where);
    assert.equal(found.txCount, String(sum(having, transactions)), where);
    expectNear(found.traded, sum(having, value), where);
    expectNear(found.derivedETH, coin > 0 ? prices.get(token.address)! / coin : 0, where);
  }
  const [only] = answer.factories!;
  assert.deepEqual(
    answer.factories!.map(({ id, count }) => [id, Number(count)]),
    [[scene[kind].factory, own.length]],
    where,
  );
  assert.equal(only!.txCount, String(sum(own, transactions)), where);
  expectNear(only!.traded, sum(own, value), where);
}
