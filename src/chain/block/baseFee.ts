import { uintToBigInt } from "../encoding/uint.ts";
import type { Header } from "./header.ts";

/**
 * EIP-1559 parameters of a chain. The target is the gas limit / `elasticity`; an empty or a full block moves the fee by
 * 1 / `denominator`.
 */
export interface FeeMarket {
  readonly elasticity: bigint;
  readonly denominator: bigint;
}

export const ETHEREUM: FeeMarket = { elasticity: 2n, denominator: 8n };

/** Parameters of rollups and side chains, preferred if a few blocks fit several. */
const COMMON: readonly FeeMarket[] = [
  ETHEREUM,
  { elasticity: 6n, denominator: 250n },
  { elasticity: 6n, denominator: 50n },
  { elasticity: 10n, denominator: 250n },
  { elasticity: 10n, denominator: 50n },
  { elasticity: 2n, denominator: 16n },
  { elasticity: 2n, denominator: 64n },
];

const MAX_ELASTICITY = 32n;
/** With a greater denominator the fee never moves. */
const MAX_DENOMINATOR = 2n ** 64n;

type Parent = Pick<Header, "baseFeePerGas" | "gasLimit" | "gasUsed">;

/** Undefined before EIP-1559. */
export function nextBaseFee(parent: Parent, { elasticity, denominator }: FeeMarket): bigint | undefined {
  if (parent.baseFeePerGas === undefined) return undefined;
  const fee = uintToBigInt(parent.baseFeePerGas);
  const target = uintToBigInt(parent.gasLimit) / elasticity;
  const used = BigInt(parent.gasUsed);
  if (target === 0n || used === target) return fee;
  if (used < target) return fee - (fee * (target - used)) / target / denominator;
  const rise = (fee * (used - target)) / target / denominator;
  return fee + (rise > 1n ? rise : 1n);
}

/**
 * The parameters most of the given consecutive blocks follow. Ethereum's if ambiguous; undefined if none fit, as on
 * chains with another fee rule.
 */
export function inferFeeMarket(headers: readonly Parent[]): FeeMarket | undefined {
  const steps = stepsOf(headers);
  const follow = (market: FeeMarket) => steps.filter((step) => nextBaseFee(step.parent, market) === step.fee).length;
  let [best, max] = [ETHEREUM, -1];
  for (const market of COMMON) {
    const count = follow(market);
    if (count > max) [best, max] = [market, count];
    if (max === steps.length) return best;
  }
  for (let elasticity = 1n; elasticity <= MAX_ELASTICITY; elasticity++) {
    const denominator = likeliestDenominator(steps, elasticity);
    const count = follow({ elasticity, denominator });
    if (count > max) [best, max] = [{ elasticity, denominator }, count];
  }
  return max * 2 >= steps.length ? best : undefined;
}

interface Step {
  readonly parent: Parent;
  readonly fee: bigint;
}

function stepsOf(headers: readonly Parent[]): Step[] {
  return headers.slice(1).flatMap(({ baseFeePerGas }, i) => {
    const parent = headers[i];
    if (baseFeePerGas === undefined || parent?.baseFeePerGas === undefined) return [];
    return { parent, fee: uintToBigInt(baseFeePerGas) };
  });
}

/** Each step allows a range of denominators. The smallest denominator in most ranges is the start of one of them. */
function likeliestDenominator(steps: readonly Step[], elasticity: bigint): bigint {
  const ranges = steps.flatMap((step) => denominatorsOf(step, elasticity) ?? []);
  let [best, max] = [MAX_DENOMINATOR, 0];
  for (const { min } of ranges) {
    const count = ranges.filter((range) => range.min <= min && min <= range.highest).length;
    if (count > max || (count === max && min < best)) [best, max] = [min, count];
  }
  return best;
}

interface Range {
  readonly min: bigint;
  readonly highest: bigint;
}

/** Denominators that explain a step, for one elasticity. */
function denominatorsOf({ parent, fee }: Step, elasticity: bigint): Range | undefined {
  // The fee change before division by the denominator.
  const undivided = nextBaseFee(parent, { elasticity, denominator: 1n });
  if (undivided === undefined || parent.baseFeePerGas === undefined) return undefined;
  const old = uintToBigInt(parent.baseFeePerGas);
  const [isRise, largest, moved] = [undivided > old, abs(undivided - old), abs(fee - old)];
  if (fee !== old && fee > old !== isRise) return undefined;
  if (isRise && moved === 0n) return undefined;
  // A rise is at least 1.
  const highest = moved === 0n || (isRise && moved === 1n) ? MAX_DENOMINATOR : largest / moved;
  const min = largest / (moved + 1n) + 1n;
  return min <= highest ? { min, highest } : undefined;
}

function abs(value: bigint): bigint {
  return value < 0n ? -value : value;
}
