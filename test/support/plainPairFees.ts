/** What swaps tell of the fee of a V2 pair. */
export interface PlainPairFee {
  max: bigint;
  isExact: boolean;
  /** Exact swaps in a row that allow more. */
  above: { count: number; max: bigint };
}

type Pair = readonly [bigint, bigint];

const MILLION = 1_000_000n;
const whole = (fee: bigint) => fee - (fee % 100n);

/** The highest fee that the check of the contract would let pass, by bisection; undefined where none does. */
function highest(balances: Pair, inputs: Pair, before: Pair): bigint | undefined {
  const passes = (fee: bigint) => {
    const [one, other] = balances.map((balance, at) => balance * MILLION - inputs[at]! * fee) as [bigint, bigint];
    return one * other >= before[0] * before[1] * MILLION ** 2n;
  };
  if (!passes(0n)) return undefined;
  let [low, high] = [0n, MILLION];
  while (low < high) {
    const middle = (low + high + 1n) / 2n;
    if (passes(middle)) low = middle;
    else high = middle - 1n;
  }
  return low;
}

export function tellFee(own: PlainPairFee, words: readonly bigint[], before: Pair, after: Pair): void {
  const [inputs, outputs] = [words.slice(0, 2), words.slice(2)] as unknown as [Pair, Pair];
  const isSound = [0, 1].every((at) => before[at]! + inputs[at]! - outputs[at]! === after[at]);
  const into = inputs[0] > 0n ? 0 : 1;
  const isPlain = inputs[into] > 1n && inputs[1 - into] === 0n && outputs[into] === 0n && outputs[1 - into]! > 0n;
  if (!isSound || !isPlain || before[0] * before[1] <= 0n || after[1 - into]! <= 1n) return;
  const max = highest(after, inputs, before);
  if (max === undefined) return;
  const better = (inputUnit: bigint, outputUnit: bigint) => {
    const one = (at: number) => (at === into ? inputUnit : outputUnit);
    const lessIn = inputs.map((input, at) => (at === into ? input - inputUnit : input)) as unknown as Pair;
    return highest([after[0] - one(0), after[1] - one(1)], lessIn, before);
  };
  const bounds = [better(0n, 1n), better(1n, 0n)];
  const isExact =
    bounds.every((less) => max - (less ?? -1n) <= 5n) && bounds.some((less) => (less ?? -1n) < whole(max));
  if (whole(max) > whole(own.max)) {
    if (!isExact) return;
    const { count, max: before } = own.above;
    own.above = { count: count + 1, max: count === 0 || max < before ? max : before };
    if (count < 15) return;
    own.max = own.above.max;
    own.isExact = true;
  } else {
    own.isExact = isExact || (own.isExact && whole(max) === whole(own.max));
    if (max < own.max) own.max = max;
  }
  own.above = { count: 0, max: 0n };
}
