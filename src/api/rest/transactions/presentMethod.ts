import { toHex } from "../../../chain/encoding/hex.ts";
import type { Method } from "../../../query/decode/method.ts";

export function presentMethod(method: Method | undefined): string | null {
  if (method === undefined) return null;
  return typeof method === "string" ? method : toHex(method);
}
