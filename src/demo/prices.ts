import { Random } from "./random.ts";
import type { TokenSpec } from "./scene/spec.ts";

/** Seconds between knots and percentage of the total swing. */
const WAVES = [
  { period: 172_800, share: 60 },
  { period: 36_000, share: 28 },
  { period: 5400, share: 12 },
];

/** Deterministic price, bounded by the swing. */
export function priceAt(seed: string, { symbol, price, swing }: TokenSpec, time: number): bigint {
  let offset = 0;
  for (const { period, share } of WAVES) offset += share * wave(`${seed} ${symbol} ${period}`, time, period);
  const parts = BigInt(Math.round((offset * swing) / 100));
  return (price * (10_000_000n + parts)) / 10_000_000n;
}

/** From -1000 to 1000, linear between knots. */
function wave(name: string, time: number, period: number): number {
  const knot = Math.floor(time / period);
  const along = time - knot * period;
  return Math.round((height(name, knot) * (period - along) + height(name, knot + 1) * along) / period);
}

const heights = new Map<string, number>();
const MAX_REMEMBERED = 4096;

function height(name: string, knot: number): number {
  const key = `${name} ${knot}`;
  let found = heights.get(key);
  if (found === undefined) {
    if (heights.size >= MAX_REMEMBERED) heights.clear();
    found = new Random(key).between(-1000, 1000);
    heights.set(key, found);
  }
  return found;
}
