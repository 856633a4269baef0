/** Integer square root. */
export function sqrt(value: bigint): bigint {
  if (value < 2n) return value;
  let guess = 1n << BigInt((value.toString(2).length + 1) >> 1);
  for (;;) {
    const next = (guess + value / guess) >> 1n;
    if (next >= guess) return guess;
    guess = next;
  }
}

export function min(first: bigint, ...others: readonly bigint[]): bigint {
  let found = first;
  for (const other of others) if (other < found) found = other;
  return found;
}

export function max(first: bigint, ...others: readonly bigint[]): bigint {
  let found = first;
  for (const other of others) if (other > found) found = other;
  return found;
}

export function clampToZero(value: bigint): bigint {
  return value < 0n ? 0n : value;
}

/** An exact sum of counts: a number up to 2^53, a bigint above. */
export type ExactSum = number | bigint;

export function addExactly(sum: ExactSum, count: number): ExactSum {
  if (typeof sum === "number") {
    const result = sum + count;
    if (result <= Number.MAX_SAFE_INTEGER) return result;
  }
  return BigInt(sum) + BigInt(count);
}

/** Of sums that are not negative. */
export function addSums(one: ExactSum, other: ExactSum): ExactSum {
  return typeof other === "number" ? addExactly(one, other) : BigInt(one) + other;
}

/** `part` must not exceed `sum`. */
export function subtractExactly(sum: ExactSum, part: ExactSum): ExactSum {
  if (typeof sum === "number" && typeof part === "number") return sum - part;
  return normalise(BigInt(sum) - BigInt(part));
}

/** Equal sums compare equal: the representation is canonical. */
export function normalise(sum: bigint): ExactSum {
  return sum <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(sum) : sum;
}

const BATCH_SIZE = 32;

/**
 * Returns the highest number in (low, high) for which `holds` is true, or `low` if there is none. The predicate must be
 * monotonic. Probes from the top in batches, then bisects the remainder.
 */
export async function findHighest(
  low: number,
  high: number,
  holds: (numbers: readonly number[]) => Promise<readonly boolean[]>,
): Promise<number> {
  let [highest, above, gap] = [low, high, 1];
  while (above - highest > 1) {
    const numbers: number[] = [];
    for (let number = above - 1; number > highest && numbers.length < BATCH_SIZE; number -= gap) numbers.push(number);
    const at = (await holds(numbers)).indexOf(true);
    highest = numbers[at] ?? highest;
    above = (at < 0 ? numbers.at(-1) : numbers[at - 1]) ?? above;
    gap = Math.ceil((above - highest - 1) / BATCH_SIZE);
  }
  return highest;
}
