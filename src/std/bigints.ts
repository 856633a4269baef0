/** The integer square root. */
export function root(value: bigint): bigint {
  if (value < 2n) return value;
  let guess = 1n << BigInt((value.toString(2).length + 1) >> 1);
  for (;;) {
    const next = (guess + value / guess) >> 1n;
    if (next >= guess) return guess;
    guess = next;
  }
}

export function smaller(a: bigint, b: bigint): bigint {
  if (a < b) return a;
  return b;
}
