import type { Bytes } from "../chain/encoding/bytes.ts";
import { fromHex } from "../chain/encoding/hex.ts";

/** At most one interpretation, and the text unless it is an address or a hash. */
export interface SearchQuery {
  readonly address?: Bytes;
  /** Transaction or block hash. */
  readonly hash?: Bytes;
  readonly number?: number;
  readonly text?: string;
}

const HEX = /^(?:0x)?((?:[0-9a-f]{40}|[0-9a-f]{64}))$/i;
const NUMBER = /^\d{1,16}$/;

/** Trims white space. */
export function readSearchQuery(typed: string): SearchQuery {
  const text = typed.trim();
  const digits = HEX.exec(text)?.[1];
  if (digits !== undefined)
    return digits.length === 40 ? { address: fromHex(`0x${digits}`) } : { hash: fromHex(`0x${digits}`) };
  const number = NUMBER.test(text) ? Number(text) : Number.NaN;
  return Number.isSafeInteger(number) ? { number, text } : { text };
}
