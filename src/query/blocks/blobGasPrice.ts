import { fakeExponential } from "../../chain/block/fakeExponential.ts";
import type { Uint } from "../../chain/encoding/uint.ts";
import { uintToBigInt } from "../../chain/encoding/uint.ts";

/** Exponent above which the price exceeds 2^256; a header may claim it. */
const MAX_EXPONENT = 178n;

/** EIP-4844; at least 1 wei. */
export function blobGasPrice(excessBlobGas: Uint, updateFraction: number): bigint | null {
  const excess = uintToBigInt(excessBlobGas);
  const fraction = BigInt(updateFraction);
  if (excess > fraction * MAX_EXPONENT) return null;
  return fakeExponential(1n, excess, fraction);
}
