import type { Bytes } from "../../chain/encoding/bytes.ts";

/** RLP without leading zeros. */
export function encodeSlot(value: Bytes): Bytes {
  if (value.length === 1 && value[0]! < 0x80) return value;
  const encoded = new Uint8Array(value.length + 1);
  encoded[0] = 0x80 + value.length;
  encoded.set(value, 1);
  return encoded;
}

export function decodeSlot(encoded: Bytes): Bytes {
  return encoded[0]! < 0x80 ? encoded : encoded.subarray(1);
}
