import { createKeccak } from "hash-wasm";
import type { Bytes } from "../encoding/bytes.ts";

const hasher = await createKeccak(256);

export function keccak256(bytes: Bytes): Bytes {
  hasher.init();
  hasher.update(bytes);
  return hasher.digest("binary");
}
