import type { Bytes } from "./bytes.ts";
import type { Hex } from "./hex.ts";
import { fromHex } from "./hex.ts";

// Values in untrusted text; undefined if invalid. Each interface has its own error message.

/** `0x` and two hex digits a byte, in either case. */
function isHex(text: unknown, bytes: number): text is Hex {
  if (typeof text !== "string" || text.length !== 2 + 2 * bytes || !text.startsWith("0x")) return false;
  for (let at = 2; at < text.length; at++) {
    const code = text.charCodeAt(at);
    const letter = code | 32;
    if (!isDigit(code) && !(letter >= 97 && letter <= 102)) return false;
  }
  return true;
}

export const isAddress = (text: unknown): text is Hex => isHex(text, 20);
export const isSelector = (text: unknown): text is Hex => isHex(text, 4);
export const isHash = (text: unknown): text is Hex => isHex(text, 32);

export function isDigits(text: string): boolean {
  for (let at = 0; at < text.length; at++) if (!isDigit(text.charCodeAt(at))) return false;
  return text.length > 0;
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

const SAFE_DIGITS = 16;

/** A decimal number below 2^53. Fewer digits leave room for a factor. */
export function parseInteger(text: unknown, maxDigits = SAFE_DIGITS): number | undefined {
  if (typeof text !== "string" || text.length > maxDigits || !isDigits(text)) return undefined;
  const number = Number(text);
  return Number.isSafeInteger(number) ? number : undefined;
}

const UINT256_DIGITS = 78;

/** A decimal number below 2^256, as 32 bytes. */
export function parseUint256(text: string): Bytes | undefined {
  if (text.length > UINT256_DIGITS || !isDigits(text)) return undefined;
  const number = BigInt(text);
  return number < 1n << 256n ? fromHex(`0x${number.toString(16).padStart(64, "0")}`) : undefined;
}
