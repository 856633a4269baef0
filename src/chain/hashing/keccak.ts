import { createKeccak } from "hash-wasm";
import type { Bytes, Hash } from "../encoding/bytes.ts";

const hasher = await createKeccak(256);

export function keccak256(bytes: Bytes): Hash {
  hasher.init();
  hasher.update(bytes);
  return hasher.digest("binary");
}
