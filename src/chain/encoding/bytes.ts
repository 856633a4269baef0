import type { Flavour } from "../../std/values.ts";

export type Bytes = Uint8Array;

export type AddressBytes = Flavour<Bytes, "address">;

/** Hash of a block, transaction, trie or blob. */
export type Hash = Flavour<Bytes, "hash">;

export const EMPTY: Bytes = new Uint8Array(0);

export function equalBytes(a: Bytes, b: Bytes): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}

export function isZero(bytes: Bytes): boolean {
  for (let i = 0; i < bytes.length; i++) if (bytes[i] !== 0) return false;
  return true;
}

/** A plain loop is faster than `set` for up to two words. */
export function copyInto(target: Bytes, source: Bytes, at: number): void {
  if (source.length > 48) {
    target.set(source, at);
    return;
  }
  for (let i = 0; i < source.length; i++) target[at + i] = source[i]!;
}
