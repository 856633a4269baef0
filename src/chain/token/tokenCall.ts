import type { AddressBytes } from "../encoding/bytes.ts";
import { fromHex } from "../encoding/hex.ts";
import type { ContractCall } from "../source.ts";

const BALANCE_OF = fromHex("0x70a08231");

/** The call of a token's `balanceOf` for a holder. */
export function balanceCall(token: AddressBytes, holder: AddressBytes): ContractCall {
  const data = new Uint8Array(36);
  data.set(BALANCE_OF);
  data.set(holder, 16);
  return { to: token, data };
}
