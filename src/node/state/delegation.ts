import type { Bytes } from "../../chain/encoding/bytes.ts";

/** What the code of an account that delegates begins with; the address follows (EIP-7702). */
export const DELEGATION: Bytes = new Uint8Array([0xef, 0x01, 0x00]);

/** The address that an account's code delegates to. */
export function delegationOf(code: Bytes): Bytes | undefined {
  const isDelegation = code.length === 23 && DELEGATION.every((byte, i) => code[i] === byte);
  return isDelegation ? code.subarray(3) : undefined;
}
