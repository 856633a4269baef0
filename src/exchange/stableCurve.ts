import { MAX_UINT256 } from "../chain/encoding/uint.ts";
import type { SolidlyGeneration } from "../chain/exchange/exchangeFields.ts";
import type { Fraction } from "./decimal.ts";

/** The curve x^3 y + x y^3 of whole tokens. */
export interface StableCurve {
  /** Smallest units of a whole token. */
  readonly unit0: bigint;
  readonly unit1: bigint;
  readonly generation: SolidlyGeneration;
}

export interface StableOutput {
  readonly amountOut: bigint;
  readonly steps: number;
}

/** Contracts count with 18 decimals, and give up after as many steps. */
const ONE = 10n ** 18n;
export const MAX_NEWTON_STEPS = 255;

const MAX_DECIMALS = 77;

/** Undefined if no contract could have such a pool. */
export function stableCurve(
  [decimals0, decimals1]: readonly [number, number],
  generation: SolidlyGeneration,
): StableCurve | undefined {
  if (Math.max(decimals0, decimals1) > MAX_DECIMALS || Math.min(decimals0, decimals1) < 0) return undefined;
  return { unit0: 10n ** BigInt(decimals0), unit1: 10n ** BigInt(decimals1), generation };
}

/** Slope of the curve: smallest units of token1 per smallest unit of token0. */
export function slopeAt({ unit0, unit1 }: StableCurve, reserve0: bigint, reserve1: bigint): Fraction | undefined {
  if (reserve0 <= 0n || reserve1 <= 0n) return undefined;
  const shared = unit0 < unit1 ? unit0 : unit1;
  const [scale0, scale1] = [unit0 / shared, unit1 / shared];
  const [x, y] = [reserve0 * scale1, reserve1 * scale0];
  return { numerator: y * (3n * x * x + y * y) * scale1, denominator: x * (x * x + 3n * y * y) * scale0 };
}

/** Output for an input after its fee, to the unit that the contract computes; undefined where it reverts. */
export function stableOutput(
  { unit0, unit1, generation }: StableCurve,
  [reserve0, reserve1]: readonly [bigint, bigint],
  amountIn: bigint,
  isToken0: boolean,
): StableOutput | undefined {
  const [scaled0, scaled1] = [scale(reserve0, unit0), scale(reserve1, unit1)];
  const invariant = invariantOf(scaled0, scaled1);
  const [scaledIn, scaledOut] = isToken0 ? [scaled0, scaled1] : [scaled1, scaled0];
  const [unitIn, unitOut] = isToken0 ? [unit0, unit1] : [unit1, unit0];
  const x = add(scale(amountIn, unitIn), scaledIn);
  if (invariant === undefined || x === undefined || scaledOut === undefined) return undefined;
  const solved =
    generation === 1
      ? solveFirst(x, invariant, scaledOut)
      : solveSecond(x, invariant, scaledOut, (y) => invariantOf(scale(x, unit0), scale(y, unit1)));
  if (solved === undefined || solved.y > scaledOut) return undefined;
  const amountOut = product(scaledOut - solved.y, unitOut);
  return amountOut === undefined ? undefined : { amountOut: amountOut / ONE, steps: solved.steps };
}

type Checked = bigint | undefined;

/** Contracts revert where a value exceeds 256 bits. */
function product(one: Checked, other: Checked): Checked {
  if (one === undefined || other === undefined) return undefined;
  const value = one * other;
  return value > MAX_UINT256 ? undefined : value;
}

function add(one: Checked, other: Checked): Checked {
  if (one === undefined || other === undefined) return undefined;
  const value = one + other;
  return value > MAX_UINT256 ? undefined : value;
}

const divide = (value: Checked, by: bigint): Checked => (value === undefined ? undefined : value / by);

/** Of two amounts with 18 decimals, one with them. */
const times = (one: Checked, other: Checked): Checked => divide(product(one, other), ONE);

const scale = (amount: bigint, unit: bigint): Checked => divide(product(amount, ONE), unit);

const invariantOf = (x: Checked, y: Checked): Checked => times(times(x, y), add(times(x, x), times(y, y)));

/** The same, rounded as the first generation does while it searches. */
const firstInvariant = (x: bigint, y: bigint): Checked =>
  add(times(x, times(times(y, y), y)), times(times(times(x, x), x), y));

/** How fast the invariant grows with y. */
const growthOf = (x: bigint, y: bigint): Checked => add(times(3n * x, times(y, y)), times(times(x, x), x));

interface Solved {
  readonly y: bigint;
  readonly steps: number;
}

/** Newton's step towards the invariant; undefined where the contract reverts. */
function stepOf(found: Checked, wanted: bigint, growth: Checked): Checked {
  if (found === undefined || growth === undefined || growth === 0n) return undefined;
  return divide(product(found < wanted ? wanted - found : found - wanted, ONE), growth);
}

function solveFirst(x: bigint, wanted: bigint, start: bigint): Solved | undefined {
  let y = start;
  for (let steps = 1; steps <= MAX_NEWTON_STEPS; steps++) {
    const found = firstInvariant(x, y);
    const step = stepOf(found, wanted, growthOf(x, y));
    if (found === undefined || step === undefined) return undefined;
    y += found < wanted ? step : -step;
    if (y < 0n || y > MAX_UINT256) return undefined;
    if (step <= 1n) return { y, steps };
  }
  return { y, steps: MAX_NEWTON_STEPS };
}

/** `scaledAgain` is a slip of the contracts: it counts amounts as if they were not scaled yet. */
function solveSecond(
  x: bigint,
  wanted: bigint,
  start: bigint,
  scaledAgain: (y: bigint) => Checked,
): Solved | undefined {
  let y = start;
  for (let steps = 1; steps <= MAX_NEWTON_STEPS; steps++) {
    const found = invariantOf(x, y);
    let step = stepOf(found, wanted, growthOf(x, y));
    if (found === undefined || step === undefined) return undefined;
    const isBelow = found < wanted;
    if (step === 0n) {
      if (found === wanted) return { y, steps };
      const next = isBelow ? scaledAgain(y + 1n) : y === 0n ? undefined : invariantOf(x, y - 1n);
      if (next === undefined) return undefined;
      if (isBelow && next > wanted) return { y: y + 1n, steps };
      if (!isBelow && next < wanted) return { y, steps };
      step = 1n;
    }
    y += isBelow ? step : -step;
    if (y < 0n || y > MAX_UINT256) return undefined;
  }
  return undefined;
}
