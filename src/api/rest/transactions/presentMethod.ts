import { toHex } from "../../../chain/encoding/hex.ts";
import type { Method } from "../../../query/transactions/method.ts";

/** The name of the function that is called, else its selector. */
export function presentMethod(method: Method | undefined): string | null {
  if (method === undefined) return null;
  return typeof method === "string" ? method : toHex(method);
}
