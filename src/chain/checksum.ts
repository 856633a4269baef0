import type { Bytes } from "./bytes.ts";
import { toHex } from "./hex.ts";
import { keccak256 } from "./keccak.ts";
import { Recent } from "./recent.ts";

const LETTER_A = 0x61;
const LOWER_TO_UPPER = 0x20;
const known = new Recent<string, string>(20_000);

/** The address in the mixed case of EIP-55. */
export function checksumAddress(address: Bytes): string {
  const plain = toHex(address);
  const before = known.get(plain);
  if (before !== undefined) return before;
  const checksummed = withChecksum(plain);
  known.set(plain, checksummed);
  return checksummed;
}

function withChecksum(plain: string): string {
  const text = Buffer.from(plain, "latin1");
  const hash = keccak256(text.subarray(2));
  for (let i = 0; i < 40; i++) {
    const nibble = i % 2 === 0 ? hash[i >> 1]! >> 4 : hash[i >> 1]! & 15;
    const isLetter = text[i + 2]! >= LETTER_A;
    if (isLetter && nibble >= 8) text[i + 2]! -= LOWER_TO_UPPER;
  }
  return text.toString("latin1");
}
