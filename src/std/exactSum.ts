/** A sum of counts that is exact at any size: a number as long as numbers are, a bigint above. */
export type ExactSum = number | bigint;

export function addExactly(sum: ExactSum, count: number): ExactSum {
  if (typeof sum === "number") {
    const result = sum + count;
    if (result <= Number.MAX_SAFE_INTEGER) return result;
  }
  return BigInt(sum) + BigInt(count);
}

/** The smaller has to be given second. */
export function subtractExactly(sum: ExactSum, part: ExactSum): ExactSum {
  if (typeof sum === "number" && typeof part === "number") return sum - part;
  return normalise(BigInt(sum) - BigInt(part));
}

/** Equal sums have one form. */
export function normalise(sum: bigint): ExactSum {
  return sum <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(sum) : sum;
}
