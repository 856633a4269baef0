import type { Bytes } from "./bytes.ts";
import { toHex } from "./hex.ts";
import { keccak256 } from "./keccak.ts";
import { Recent } from "./recent.ts";

const known = new Recent<string, string>(20_000);

/** The address in the mixed case of EIP-55. */
export function checksumAddress(address: Bytes): string {
  const plain = toHex(address);
  const before = known.get(plain);
  if (before !== undefined) return before;
  const checksummed = withChecksum(plain.slice(2));
  known.set(plain, checksummed);
  return checksummed;
}

function withChecksum(digits: string): string {
  const hash = keccak256(Buffer.from(digits, "latin1"));
  let text = "0x";
  for (let i = 0; i < digits.length; i++) {
    const nibble = i % 2 === 0 ? hash[i >> 1]! >> 4 : hash[i >> 1]! & 15;
    text += nibble >= 8 ? digits[i]!.toUpperCase() : digits[i]!;
  }
  return text;
}
