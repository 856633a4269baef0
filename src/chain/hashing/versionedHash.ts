import { hash } from "node:crypto";
import type { Bytes, Hash } from "../encoding/bytes.ts";

const VERSION = 1;

export function versionedHash(commitment: Bytes): Hash {
  const digest = hash("sha256", commitment, "buffer");
  digest[0] = VERSION;
  return digest;
}
