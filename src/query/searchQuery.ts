import type { Bytes } from "../chain/encoding/bytes.ts";
import { fromHex } from "../chain/encoding/hex.ts";
import { isAddress, isHash, parseInteger } from "../chain/encoding/parse.ts";

/** At most one interpretation, and the text unless it is an address or a hash. */
export interface SearchQuery {
  readonly address?: Bytes;
  readonly hash?: Bytes;
  readonly number?: number;
  readonly text?: string;
}

/** Trims white space. */
export function readSearchQuery(typed: string): SearchQuery {
  const text = typed.trim();
  const hex = `0x${text.replace(/^0x/i, "")}`;
  if (isAddress(hex)) return { address: fromHex(hex) };
  if (isHash(hex)) return { hash: fromHex(hex) };
  const number = parseInteger(text);
  return number === undefined ? { text } : { number, text };
}
