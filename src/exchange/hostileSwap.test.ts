import assert from "node:assert/strict";
import { test } from "node:test";
import { Random } from "../../test/support/random.ts";
import { firstSeed } from "../../test/support/seed.ts";
import { MAX_SQRT_PRICE, MAX_TICK, MIN_SQRT_PRICE, sqrtPriceAt } from "../chain/exchange/tickMath.ts";
import { amountsOf } from "./positions.ts";
import { stableCurve } from "./stableCurve.ts";
import type { SwapPool } from "./swap.ts";
import { MAX_STEPS, swapExactInput } from "./swap.ts";
import { tickMapOf } from "./ticks.ts";

const SEED = firstSeed();
const CASES = Number(process.env.ORIEL_CASES ?? 3000);

/** Milliseconds of the event loop that one swap may hold up. */
const MAX_TURN = 50;

/** What a contract may say of itself: any number that fits the event. */
const uint = (random: Random, bits: number): bigint =>
  BigInt(`0x${toHex(random.bytes(bits / 8))}`) >> BigInt(random.int(bits));
const toHex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");

function lyingPool(random: Random): SwapPool {
  if (random.chance(0.2)) {
    const fee = random.pick([0, 3000, 1_000_000, 2_000_000]);
    return { type: "v2", fee, reserve0: uint(random, 112), reserve1: uint(random, 112) };
  }
  if (random.chance(0.3)) return lyingSolidly(random);
  const tick = () =>
    random.pick([0, 60, -60, random.between(-887_272, 887_272), random.between(-8_388_608, 8_388_607)]);
  const positions = Array.from({ length: random.int(8) }, () => ({
    ...{ tickLower: tick(), tickUpper: tick(), liquidity: uint(random, 128) },
  }));
  const prices = [0n, 1n, MIN_SQRT_PRICE, MAX_SQRT_PRICE - 1n, MAX_SQRT_PRICE, uint(random, 160), sqrtPriceAt(60)];
  return {
    type: random.pick(["v3", "v4", "algebra"]),
    fee: random.pick([0, 1, 3000, 999_999, 1_000_000, 0xffffff]),
    fee1: random.pick([0, 3000, 1_000_000]),
    tickSpacing: random.pick([1, 10, 60, 32_767, 8_388_607]),
    ...{ sqrtPrice: random.pick(prices), tick: tick(), liquidity: random.pick([0n, 1n, uint(random, 128)]) },
    borders: tickMapOf(positions),
  };
}

function lyingSolidly(random: Random): SwapPool {
  const decimals = () => random.pick([0, 6, 18, 18, 24, 77, 78, 255]);
  const curve = stableCurve([decimals(), decimals()], random.pick([1, 2]));
  const reserve = () => random.pick([0n, 1n, uint(random, 128), uint(random, 256), 2n ** 256n - 1n]);
  return {
    ...{ type: random.pick(["volatile", "stable"]), curve, reserve0: reserve(), reserve1: reserve() },
    fee: random.pick([0, 1, 500, 3000, 999_999, 1_000_000, 2_000_000]),
  };
}

test(`a pool that lies about itself makes no exception and no negative amount (seed ${SEED})`, () => {
  const random = new Random(SEED);
  let answered = 0;
  for (let count = 0; count < CASES; count++) {
    const pool = lyingPool(random);
    const amount = random.pick([1n, uint(random, 128), 2n ** 127n, 2n ** 255n, 2n ** 256n - 1n]);
    const { amountOut, steps, after } = swapExactInput(pool, amount, random.chance(0.5));
    assert.ok(amountOut >= 0n && steps <= MAX_STEPS, `case ${count}: ${amountOut} in ${steps} steps`);
    if (amountOut > 0n) answered++;
    else assert.equal(after, pool, "a swap that is refused changes nothing");
  }
  assert.ok(answered > CASES / 50, `${answered} of ${CASES} swaps were answered`);
});

test(`positions in such a pool give no exception and no negative amount (seed ${SEED})`, () => {
  const random = new Random(SEED);
  const tick = () => random.between(-8_388_608, 8_388_607) >> random.int(24);
  for (let count = 0; count < CASES; count++) {
    const position = { tickLower: tick(), tickUpper: tick(), liquidity: uint(random, 128) };
    const at = { sqrtPrice: random.pick([0n, 1n, uint(random, 160)]), tick: tick() };
    const amounts = amountsOf(position, at);
    assert.ok(
      amounts.every((amount) => amount >= 0n),
      `case ${count}: ${amounts.join()}`,
    );
  }
});

test(`the longest search for a point of a stable curve is short (seed ${SEED})`, () => {
  const random = new Random(SEED);
  let [longest, most] = [0, 0];
  for (let count = 0; count < CASES; count++) {
    const pool = lyingSolidly(random);
    const before = process.cpuUsage();
    const { steps } = swapExactInput(pool, random.pick([1n, uint(random, 128)]), random.chance(0.5));
    const { user, system } = process.cpuUsage(before);
    [longest, most] = [Math.max(longest, (user + system) / 1000), Math.max(most, steps)];
  }

  assert.ok(most <= 255, `${most} steps`);
  assert.ok(longest < MAX_TURN, `${longest} ms of CPU`);
});

test("the longest swap does not hold up the event loop", () => {
  const positions = Array.from({ length: 20_000 }, (_, at) => ({
    ...{ tickLower: -MAX_TICK + at, tickUpper: MAX_TICK - at, liquidity: 2n ** 100n },
  }));
  const borders = tickMapOf(positions);
  const liquidity = 2n ** 100n * 20_000n;
  const state = { fee: 3000, tickSpacing: 1, sqrtPrice: sqrtPriceAt(0), tick: 0, liquidity, borders };
  let [shortest, maxSteps] = [Number.POSITIVE_INFINITY, 0];
  for (let runs = 0; runs < 5; runs++) {
    const before = process.cpuUsage();
    const { steps } = swapExactInput({ type: "v3", ...state }, 2n ** 255n, true);
    const { user, system } = process.cpuUsage(before);
    maxSteps = Math.max(maxSteps, steps);
    shortest = Math.min(shortest, (user + system) / 1000);
  }

  assert.ok(maxSteps > 100, `${maxSteps} steps`);
  assert.ok(shortest < MAX_TURN, `${shortest} ms of CPU`);
});
