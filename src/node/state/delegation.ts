import type { Bytes } from "../../chain/encoding/bytes.ts";

/** Prefix of EIP-7702 delegation code. */
export const DELEGATION: Bytes = new Uint8Array([0xef, 0x01, 0x00]);

/** Undefined unless the code is a delegation. */
export function delegationOf(code: Bytes): Bytes | undefined {
  const isDelegation = code.length === 23 && DELEGATION.every((byte, i) => code[i] === byte);
  return isDelegation ? code.subarray(3) : undefined;
}
