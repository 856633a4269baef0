import assert from "node:assert/strict";
import { test } from "node:test";
import { SCALE } from "../src/exchange/prices.ts";
import type { Attack } from "./support/exchange/attackedMarket.ts";
import {
  changeAttack,
  coinValue,
  drawAttack,
  honestMarket,
  runAttack,
  valueMarket,
} from "./support/exchange/attackedMarket.ts";
import { Random } from "./support/random.ts";
import { firstSeed } from "./support/seed.ts";

const SEED = firstSeed();
const CASES = Number(process.env.ORIEL_CASES ?? 60);
/** Attacks on one market, each beginning with the best before it. */
const ATTEMPTS = 50;

test(`with a budget of X no pools show more than 2X together, and the total grows by X at most (seed ${SEED})`, (t) => {
  let best = 0;
  let priced = 0;
  for (let seed = SEED; seed < SEED + CASES; seed++) {
    const random = new Random(seed);
    const { pools, depth, coinPrice } = honestMarket(random);
    const honest = valueMarket(pools);
    // Whoever has more than the pools of the coin hold on both sides can be its market.
    const budget = random.between(1000, Math.floor(1.9 * depth));
    let attack: Attack | undefined;
    let max = -1n;
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const tried: Attack = attack === undefined ? drawAttack(random) : changeAttack(random, attack);
      const own = runAttack(tried, budget, coinPrice, (one) => new Random(one));
      const valued = valueMarket([...pools, ...own]);
      const shown = own.reduce((sum, { id }) => sum + valued.locked.get(id)!, 0n);
      const limit = BigInt(budget) * SCALE;
      const where = `seed ${seed}, attempt ${attempt}`;
      assert.ok(shown <= 2n * limit, `${where}: ${shown / SCALE} dollars of ${budget}`);
      assert.ok(valued.anchored - honest.anchored <= limit + drift(honest, valued), where);
      assert.ok(coinValue(valued) <= BigInt(coinPrice) * SCALE, `${where}: the coin is above all honest pools`);
      if (own.some(({ token0, token1 }) => [token0, token1].some((one) => valued.table.prices.has(one) && one >= 100)))
        priced++;
      if (shown > max) [attack, max] = [tried, shown];
    }
    best = Math.max(best, Number(max / SCALE) / budget);
  }
  t.diagnostic(
    `the best attack showed ${best.toFixed(3)} of its budget; ${priced} attacks gave their own tokens a price`,
  );
  assert.ok(best > 1.5, "attacks that show nothing prove nothing");
  assert.ok(priced > CASES, "nor do attacks without a price");
});

/** Values rise slightly where an attack moves the coin between the prices of honest pools. */
function drift(before: ReturnType<typeof valueMarket>, after: ReturnType<typeof valueMarket>): bigint {
  const [then, now] = [coinValue(before), coinValue(after)];
  return now > then ? (before.anchored * (now - then)) / then : 0n;
}
