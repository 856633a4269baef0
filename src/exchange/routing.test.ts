import assert from "node:assert/strict";
import { test } from "node:test";
import { typicalEventLoopDelay } from "../../test/support/eventLoopDelay.ts";
import { sqrtPriceAt } from "../chain/exchange/tickMath.ts";
import type { Route } from "./routing.ts";
import { quoteRoutes } from "./routing.ts";
import type { SwapPool } from "./swap.ts";
import { MAX_STEPS, swapExactInput } from "./swap.ts";
import { tickMapOf } from "./ticks.ts";

const UNIT = 10n ** 18n;
const POSITIONS = 20_000;

/** A border at every tick. */
function densePool(): SwapPool {
  const ranges = Array.from({ length: POSITIONS }, (_, at) => {
    return { tickLower: at - POSITIONS, tickUpper: at + 1, liquidity: UNIT };
  });
  const liquidity = BigInt(POSITIONS) * UNIT;
  const price = { sqrtPrice: sqrtPriceAt(0), tick: 0, liquidity };
  return { type: "v3", fee: 3000, tickSpacing: 1, ...price, borders: tickMapOf(ranges) };
}

const pair = (reserve0: bigint, reserve1: bigint): SwapPool => ({ type: "v2", fee: 3000, reserve0, reserve1 });

test("a swap ends after so many steps, and gives nothing if the pool cannot take it all", () => {
  const pool = densePool();

  const tooLarge = swapExactInput(pool, 2n ** 127n, true);
  const small = swapExactInput(pool, UNIT, true);

  assert.deepEqual([tooLarge.amountOut, tooLarge.steps, tooLarge.after], [0n, MAX_STEPS, pool]);
  assert.ok(small.amountOut > 0n && small.steps < MAX_STEPS);
});

test("the largest quote does not hold the event loop for 50 ms", async () => {
  const pool = densePool();
  const pools = new Map(Array.from({ length: 40 }, (_, id) => [id, pool] as const));
  const hop = (id: number) => ({ pool: id % 40, isToken0: true });
  const routes: Route[] = Array.from({ length: 134 }, (_, id) => (id < 6 ? [hop(id)] : [hop(id), hop(id + 1)]));

  const delay = await typicalEventLoopDelay(() => quoteRoutes(routes, 300n * UNIT, pools), 50);

  assert.ok(delay < 50, `${delay} ms`);
});

test("an amount is split where that gives more, and the parts are swapped one after the other", async () => {
  const pools = new Map([
    [1, pair(1000n * UNIT, 1000n * UNIT)],
    [2, pair(1000n * UNIT, 1000n * UNIT)],
  ]);
  const routes = [[{ pool: 1, isToken0: true }], [{ pool: 2, isToken0: true }]];

  const quoted = await quoteRoutes(routes, 200n * UNIT + 7n, pools);

  const half = swapExactInput(pools.get(1)!, 100n * UNIT, true).amountOut;
  const rest = swapExactInput(pools.get(1)!, 100n * UNIT + 7n, true).amountOut;
  assert.deepEqual(
    quoted.map(({ amounts }) => amounts).sort(),
    [
      [100n * UNIT, half],
      [100n * UNIT + 7n, rest],
    ].sort(),
  );
});

test("two routes through one pool share what it has", async () => {
  const pools = new Map([
    [1, pair(UNIT, UNIT)],
    [2, pair(100n * UNIT, 100n * UNIT)],
    [3, pair(100n * UNIT, 100n * UNIT)],
  ]);
  const through = (first: number): Route => [
    { pool: first, isToken0: true },
    { pool: 1, isToken0: true },
  ];

  const quoted = await quoteRoutes([through(2), through(3)], UNIT, pools);

  const outputs = quoted.map(({ amounts }) => amounts.at(-1)!);
  let state = pools.get(1)!;
  for (const [at, { amounts }] of quoted.entries()) {
    const swapped = swapExactInput(state, amounts[1]!, true);
    assert.equal(outputs[at], swapped.amountOut);
    state = swapped.after;
  }
});
