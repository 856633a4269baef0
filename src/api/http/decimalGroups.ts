import type { Uint } from "../../chain/encoding/uint.ts";

/** Eight decimal digits per group. */
export const GROUP = 1e8;

/** Bytes of the longest integer. */
export const MAX_DIVIDED_LENGTH = 32;

const limbs = new Uint16Array(MAX_DIVIDED_LENGTH / 2);
/** Least significant first. 256 bits have 78 digits. */
export const groups = new Uint32Array(10);

/** Returns the number of groups. Remainder and limb together stay below 2^53. */
export function fillGroups(value: Uint): number {
  const size = (value.length + 1) >> 1;
  const odd = value.length & 1;
  for (let i = 0; i < size; i++) {
    const low = 2 * i + 1 - odd;
    limbs[i] = ((low > 0 ? value[low - 1]! : 0) << 8) | value[low]!;
  }
  let count = 0;
  for (let first = 0; first < size; ) {
    let remainder = 0;
    for (let i = first; i < size; i++) {
      const dividend = remainder * 65536 + limbs[i]!;
      const quotient = Math.floor(dividend / GROUP);
      limbs[i] = quotient;
      remainder = dividend - quotient * GROUP;
    }
    while (first < size && limbs[first] === 0) first++;
    groups[count++] = remainder;
  }
  return count;
}
