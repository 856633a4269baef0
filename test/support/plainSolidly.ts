import type { PlainPool } from "./plainPools.ts";

/** Of a pool of Solidly. */
export interface PlainSolidly {
  fee: bigint;
  charged: [bigint, bigint];
}

type Pair = readonly [bigint, bigint];

const MILLION = 1_000_000n;

/** Returns the reserves of before. */
export function syncSolidly(pool: PlainPool, reserves: Pair): Pair {
  const before = pool.reserves;
  pool.solidly ??= { fee: 0n, charged: [0n, 0n] };
  pool.reserves = [...reserves];
  return before;
}

/** Finds the fee by search: the known one, else the lowest in whole basis points, else the lowest. */
export function chargeSolidly(pool: PlainPool, net: Pair, inputs: Pair, before: Pair | undefined): void {
  const own = pool.solidly!;
  if (before !== undefined) own.fee = feeOf(pool, net, inputs, before) ?? own.fee;
  for (const at of [0, 1] as const) own.charged[at] += (net[at] < 0n ? -net[at] : net[at]) * own.fee;
}

function feeOf(pool: PlainPool, net: Pair, inputs: Pair, before: Pair): bigint | undefined {
  const paid = net.map((amount, at) => before[at]! + amount - pool.reserves[at]!);
  const isPaid = (fee: bigint) => inputs.every((input, at) => (input * fee) / MILLION === paid[at]);
  if (isPaid(pool.solidly!.fee)) return pool.solidly!.fee;
  const lowest = firstOf(1n, inputs, paid);
  const whole = firstOf(100n, inputs, paid);
  if (whole !== undefined && isPaid(whole)) return whole;
  return lowest !== undefined && isPaid(lowest) ? lowest : undefined;
}

/** The first multiple that pays at least as much, by bisection. */
function firstOf(unit: bigint, inputs: Pair, paid: readonly bigint[]): bigint | undefined {
  const isEnough = (fee: bigint) => inputs.every((input, at) => (input * fee) / MILLION >= paid[at]!);
  let [low, high] = [0n, MILLION / unit];
  if (!isEnough((high - 1n) * unit)) return undefined;
  while (low < high) {
    const middle = (low + high) / 2n;
    if (isEnough(middle * unit)) high = middle;
    else low = middle + 1n;
  }
  return low * unit;
}
