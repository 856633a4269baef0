import assert from "node:assert/strict";
import { test } from "node:test";
import { priceAt } from "./prices.ts";

const TOKEN = { symbol: "MLLN", name: "Mullion", decimals: 18, price: 4_200_000n, swing: 1400 };

test("a price wanders within its swing, in small steps, and is the same whenever it is asked", () => {
  const prices = Array.from({ length: 2000 }, (_, step) => Number(priceAt("seed", TOKEN, 1_700_000_000 + step * 300)));

  const [low, high] = [Math.min(...prices), Math.max(...prices)];
  assert.ok(low >= 4_200_000 * 0.86 && high <= 4_200_000 * 1.14, `${low} to ${high}`);
  assert.ok(high - low > 4_200_000 * 0.05, "it moves");
  const steps = prices.slice(1).map((price, i) => Math.abs(price / prices[i]! - 1));
  assert.ok(Math.max(...steps) < 0.01, `a step of ${Math.max(...steps)}`);
  assert.equal(Number(priceAt("seed", TOKEN, 1_700_000_000)), prices[0]);
  assert.notEqual(Number(priceAt("other", TOKEN, 1_700_000_000)), prices[0]);
});
