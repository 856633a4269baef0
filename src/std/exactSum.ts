/** An exact sum of counts: a number up to 2^53, a bigint above. */
export type ExactSum = number | bigint;

export function addExactly(sum: ExactSum, count: number): ExactSum {
  if (typeof sum === "number") {
    const result = sum + count;
    if (result <= Number.MAX_SAFE_INTEGER) return result;
  }
  return BigInt(sum) + BigInt(count);
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
