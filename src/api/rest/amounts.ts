import type { Uint } from "../../chain/encoding/uint.ts";
import { isSafeUint, uintToBigInt, uintToNumber } from "../../chain/encoding/uint.ts";
import { flatString } from "../../std/bytes.ts";
import { LruCache } from "../../std/maps.ts";

export function decimal(uint: Uint): string {
  return isSafeUint(uint) ? String(uintToNumber(uint)) : uintToBigInt(uint).toString();
}

export function decimalOrNull(uint: Uint | undefined): string | null {
  return uint === undefined ? null : decimal(uint);
}

/** A JSON number if exact, else a string. */
export function numberOrText(uint: Uint): number | string {
  return isSafeUint(uint) ? uintToNumber(uint) : decimal(uint);
}

const LAST_SECOND_OF_9999 = 253_402_300_799;
const texts = new LruCache<number, string>(1000);

/** ISO 8601 with microseconds; null if the chain's time is out of range. */
export function timestamp(seconds: number): string | null {
  if (seconds > LAST_SECOND_OF_9999) return null;
  const known = texts.get(seconds);
  if (known !== undefined) return known;
  const text = flatString(new Date(seconds * 1000).toISOString().replace("Z", "000Z"));
  texts.set(seconds, text);
  return text;
}

/** Four decimal places. */
export function percentage(part: bigint, whole: bigint): number | null {
  return whole === 0n ? null : Number((part * 1_000_000n) / whole) / 10_000;
}
