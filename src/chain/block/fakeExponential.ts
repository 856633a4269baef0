/** EIP-4844's `fake_exponential`: approximates factor * e ** (numerator / denominator). */
export function fakeExponential(factor: bigint, numerator: bigint, denominator: bigint): bigint {
  let sum = 0n;
  for (let term = factor * denominator, i = 1n; term > 0n; i++) {
    sum += term;
    term = (term * numerator) / (denominator * i);
  }
  return sum / denominator;
}
