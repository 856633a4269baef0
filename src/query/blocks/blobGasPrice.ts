import { fakeExponential } from "../../chain/block/fakeExponential.ts";
import type { Uint } from "../../chain/encoding/uint.ts";
import { uintToBigInt } from "../../chain/encoding/uint.ts";

/** Above this many update fractions the price is beyond 2^256: no chain pays it, but a header may claim it. */
const MAX_EXPONENT = 178n;

/** What a unit of blob gas costs (EIP-4844), from a minimum of 1 wei. */
export function blobGasPrice(excessBlobGas: Uint, updateFraction: number): bigint | null {
  const excess = uintToBigInt(excessBlobGas);
  const fraction = BigInt(updateFraction);
  if (excess > fraction * MAX_EXPONENT) return null;
  return fakeExponential(1n, excess, fraction);
}
