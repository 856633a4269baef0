import { createHash } from "node:crypto";
import type { Bytes } from "../../src/chain/encoding/bytes.ts";
import type { Hex } from "../../src/chain/encoding/hex.ts";
import { toHex } from "../../src/chain/encoding/hex.ts";

/** The name of a blob in a transaction (EIP-4844). */
export function versionedHashOf(commitment: Bytes): Hex {
  const hash = createHash("sha256").update(commitment).digest();
  hash[0] = 1;
  return toHex(hash);
}
