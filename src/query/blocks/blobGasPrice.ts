import type { Uint } from "../../chain/encoding/uint.ts";
import { uintToBigInt } from "../../chain/encoding/uint.ts";

/** Above this many update fractions the price is beyond 2^256: no chain pays it, but a header may claim it. */
const STEEPEST = 178n;

/** EIP-4844's `fake_exponential` from a minimum of 1 wei. */
export function blobGasPrice(excessBlobGas: Uint, updateFraction: number): bigint | null {
  const excess = uintToBigInt(excessBlobGas);
  const fraction = BigInt(updateFraction);
  if (excess > fraction * STEEPEST) return null;
  let sum = 0n;
  for (let i = 1n, term = fraction; term > 0n; i++) {
    sum += term;
    term = (term * excess) / (fraction * i);
  }
  return sum / fraction;
}
