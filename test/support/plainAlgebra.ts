import type { PlainPool } from "./plainPools.ts";

/** Of a pool of Algebra. */
export interface PlainAlgebra {
  fees: [bigint, bigint];
  fee: bigint;
  isOverridden: boolean;
  config: bigint;
  spacing: bigint;
  charged: [bigint, bigint];
  paid: [bigint, bigint];
}

const MILLION = 1_000_000n;

const SETTINGS = [
  "fee",
  "feePair",
  "communityFee",
  "communityFeeSmall",
  "communityFeePair",
  "pluginConfig",
  "tickSpacing",
];

export const isAlgebra = (name: string): boolean =>
  SETTINGS.includes(name) || ["swapFee", "swapAlgebra", "burnAlgebra", "burnFee"].includes(name);

export function algebraOf(pool: PlainPool): PlainAlgebra {
  const nothing = { fee: 0n, isOverridden: false, config: 0n, spacing: 0n };
  pool.algebra ??= { ...nothing, fees: [0n, 0n], charged: [0n, 0n], paid: [0n, 0n] };
  return pool.algebra;
}

export function setAlgebra(pool: PlainPool, name: string, data: readonly bigint[]): void {
  if (!SETTINGS.includes(name)) return;
  const own = algebraOf(pool);
  const both = data.map((word) => word % 65_536n);
  const pair: [bigint, bigint] = [both[0]!, both[1] ?? both[0]!];
  if (name.startsWith("fee")) [own.fees, own.fee, own.isOverridden] = [pair, pair[0], false];
  if (name.startsWith("community")) pool.feeProtocol = pair;
  if (name === "pluginConfig") own.config = data[0]! % 256n;
  if (name === "tickSpacing") {
    const spacing = BigInt.asIntN(24, data[0]!);
    own.spacing = spacing < 0n ? 0n : spacing;
  }
}

/** Of an input: what community and plugin take of the fee on it. */
function shareOf(input: bigint, fee: bigint, added: bigint, community: bigint): bigint {
  if (fee === 0n || input <= 0n) return 0n;
  const paid = input * fee === 0n ? 0n : (input * fee - 1n) / MILLION + 1n;
  const plugin = (paid * added) / fee;
  return plugin + ((paid - plugin) * community) / 1000n;
}

/** After the trade itself is counted. */
export function chargeAlgebra(
  pool: PlainPool,
  net: readonly [bigint, bigint],
  [instead, added]: readonly bigint[],
): void {
  const own = algebraOf(pool);
  const fee = (instead! > 0n ? instead! : net[0] > 0n ? own.fees[0] : own.fees[1]) + added!;
  for (const at of [0, 1] as const) {
    const share = shareOf(net[at], fee, added!, pool.feeProtocol[at]);
    pool.amounts[at] -= share;
    pool.protocolFees[at] += share;
    own.charged[at] += (net[at] < 0n ? -net[at] : net[at]) * fee;
    own.paid[at] += net[at] > 0n ? net[at] * fee : 0n;
  }
  [own.fee, own.isOverridden] = [fee, instead! > 0n || added! > 0n];
}

export function keepForPlugin(pool: PlainPool, amounts: readonly [bigint, bigint], fee: bigint): void {
  if (fee >= MILLION) return;
  for (const at of [0, 1] as const) pool.amounts[at] -= (amounts[at] * fee) / (MILLION - fee);
}
