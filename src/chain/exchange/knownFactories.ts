import type { AddressBytes, Bytes } from "../encoding/bytes.ts";
import { equalBytes, isZero } from "../encoding/bytes.ts";
import { toHex } from "../encoding/hex.ts";
import { keccak256 } from "../hashing/keccak.ts";

/** Exchanges by hash of the published code of their factory or manager, with its own address zeroed. */
const KNOWN: ReadonlyMap<string, string> = new Map([
  ["0xbab145d02e7005f0d84c6c1639d39b799b0ea16df99ebbdaf5a14d9da820b4e0", "Uniswap V2"],
  ["0xc66c27d7d60725224552811cfb0e8148a15e914e0e31720daed102e61a0118af", "Uniswap V3"],
  ["0xa1d857ebc4a1ec6c1d33662732f3a056378b71c5a82a84cb42c692323bbebb48", "Uniswap V4"],
]);

const PUSH32 = 0x7f;

/** Undefined if the code is unknown. */
export function exchangeOfCode(code: Bytes, factory: AddressBytes): string | undefined {
  return KNOWN.get(toHex(keccak256(withoutAddress(code, factory))));
}

/** Zeros the immutable that holds the contract's own address. */
function withoutAddress(code: Bytes, address: AddressBytes): Bytes {
  const masked = code.slice();
  for (let at = 0; at + 33 <= code.length; at++) {
    if (code[at] !== PUSH32 || !isZero(code.subarray(at + 1, at + 13))) continue;
    if (equalBytes(code.subarray(at + 13, at + 33), address)) masked.fill(0, at + 13, at + 33);
  }
  return masked;
}
