import type { NestedUint8Array } from "@ethereumjs/rlp";
import { RLP } from "@ethereumjs/rlp";
import type { Bytes } from "../../chain/encoding/bytes.ts";
import { ChainError } from "../../chain/error.ts";

/** A string of bytes, or a list. */
export type RlpItem = Uint8Array | NestedUint8Array;

export function decodeList(rlp: Bytes): NestedUint8Array {
  return asList(RLP.decode(rlp));
}

export function asList(item: RlpItem | undefined): NestedUint8Array {
  if (Array.isArray(item)) return item;
  throw malformed("a list");
}

export function asString(item: RlpItem | undefined): Bytes {
  if (item instanceof Uint8Array) return item;
  throw malformed("a string");
}

export function asStrings(item: RlpItem | undefined): Bytes[] {
  return asList(item).map(asString);
}

function malformed(expected: string): ChainError {
  return new ChainError("store_corrupt", `stored RLP has no ${expected.slice(2)} where ${expected} belongs`);
}
