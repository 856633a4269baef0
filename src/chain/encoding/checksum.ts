import { keccak256 } from "../hashing/keccak.ts";
import type { AddressBytes } from "./bytes.ts";

const LOWER = Buffer.from("0123456789abcdef");
const LETTER_A = 0x61;
const LOWER_TO_UPPER = 0x20;

/** Reused between calls. */
const text = Buffer.from(`0x${"0".repeat(40)}`);
const digits = text.subarray(2);

/** EIP-55: a letter is upper case if the hash nibble at its position is 8 or more. */
export function checksumAddress(address: AddressBytes): string {
  for (let i = 0; i < 20; i++) {
    digits[2 * i] = LOWER[address[i]! >> 4]!;
    digits[2 * i + 1] = LOWER[address[i]! & 15]!;
  }
  const hash = keccak256(digits);
  for (let i = 0; i < 20; i++) {
    if (hash[i]! & 0x80) raise(2 * i);
    if (hash[i]! & 0x08) raise(2 * i + 1);
  }
  return text.toString("latin1");
}

function raise(at: number): void {
  if (digits[at]! >= LETTER_A) digits[at]! -= LOWER_TO_UPPER;
}
