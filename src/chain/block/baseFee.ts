import { uintToBigInt } from "../encoding/uint.ts";
import type { Header } from "./header.ts";

/**
 * How the base fee of a chain follows demand (EIP-1559). A block is on target with a gas limit's `elasticity`-th part
 * used; one that uses nothing, or twice its target, moves the fee by a `denominator`-th part.
 */
export interface FeeMarket {
  readonly elasticity: bigint;
  readonly denominator: bigint;
}

export const ETHEREUM: FeeMarket = { elasticity: 2n, denominator: 8n };

/** Those of rollups and side chains: they are taken where a few blocks would fit others as well. */
const COMMON: readonly FeeMarket[] = [
  ETHEREUM,
  { elasticity: 6n, denominator: 250n },
  { elasticity: 6n, denominator: 50n },
  { elasticity: 10n, denominator: 250n },
  { elasticity: 10n, denominator: 50n },
  { elasticity: 2n, denominator: 16n },
  { elasticity: 2n, denominator: 64n },
];

const HIGHEST_ELASTICITY = 32n;
/** Above it a fee does not move. */
const HIGHEST_DENOMINATOR = 2n ** 64n;

type Parent = Pick<Header, "baseFeePerGas" | "gasLimit" | "gasUsed">;

/** The base fee of the block after `parent`; undefined before EIP-1559. */
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
 * The fee market that most of some consecutive blocks follow; Ethereum's where they leave that open, undefined where they
 * follow none, as on chains that set their fee in another way.
 */
export function inferFeeMarket(headers: readonly Parent[]): FeeMarket | undefined {
  const steps = stepsOf(headers);
  const follow = (market: FeeMarket) => steps.filter((step) => nextBaseFee(step.parent, market) === step.fee).length;
  let [best, most] = [ETHEREUM, -1];
  for (const market of COMMON) {
    const count = follow(market);
    if (count > most) [best, most] = [market, count];
    if (most === steps.length) return best;
  }
  for (let elasticity = 1n; elasticity <= HIGHEST_ELASTICITY; elasticity++) {
    const denominator = likeliestDenominator(steps, elasticity);
    const count = follow({ elasticity, denominator });
    if (count > most) [best, most] = [{ elasticity, denominator }, count];
  }
  return most * 2 >= steps.length ? best : undefined;
}

interface Step {
  readonly parent: Parent;
  /** Of the block after it. */
  readonly fee: bigint;
}

function stepsOf(headers: readonly Parent[]): Step[] {
  return headers.slice(1).flatMap(({ baseFeePerGas }, i) => {
    const parent = headers[i];
    if (baseFeePerGas === undefined || parent?.baseFeePerGas === undefined) return [];
    return { parent, fee: uintToBigInt(baseFeePerGas) };
  });
}

/** Each step allows a range of denominators: the least one that most ranges have in common begins one of them. */
function likeliestDenominator(steps: readonly Step[], elasticity: bigint): bigint {
  const ranges = steps.flatMap((step) => denominatorsOf(step, elasticity) ?? []);
  let [best, most] = [HIGHEST_DENOMINATOR, 0];
  for (const { least } of ranges) {
    const count = ranges.filter((range) => range.least <= least && least <= range.highest).length;
    if (count > most || (count === most && least < best)) [best, most] = [least, count];
  }
  return best;
}

interface Range {
  readonly least: bigint;
  readonly highest: bigint;
}

/** The denominators by which a fee moves as it did, for one elasticity. */
function denominatorsOf({ parent, fee }: Step, elasticity: bigint): Range | undefined {
  // What a denominator divides is how far the fee moves undivided.
  const undivided = nextBaseFee(parent, { elasticity, denominator: 1n });
  if (undivided === undefined || parent.baseFeePerGas === undefined) return undefined;
  const old = uintToBigInt(parent.baseFeePerGas);
  const [isRise, largest, moved] = [undivided > old, abs(undivided - old), abs(fee - old)];
  if (fee !== old && fee > old !== isRise) return undefined;
  if (isRise && moved === 0n) return undefined;
  // A rise is by one at least.
  const highest = moved === 0n || (isRise && moved === 1n) ? HIGHEST_DENOMINATOR : largest / moved;
  const least = largest / (moved + 1n) + 1n;
  return least <= highest ? { least, highest } : undefined;
}

function abs(value: bigint): bigint {
  return value < 0n ? -value : value;
}
