import { readSize, WORD } from "../abi/word.ts";
import type { Bytes } from "../encoding/bytes.ts";
import { isZero } from "../encoding/bytes.ts";
import { uintToBigInt } from "../encoding/uint.ts";

/** Name or symbol, sanitized for display on one line, since anyone may deploy a token. */
export interface TokenText {
  /** Null if the result holds no visible text. */
  readonly text: string | null;
  /** The raw result, truncated to `MAX_RAW` bytes. */
  readonly raw: Bytes;
}

export const MAX_TEXT = 256;
export const MAX_RAW = 4096;

/** Controls, bidi and invisible characters, line separators and annotation marks. */
export const UNSEEN = /[\p{Cc}\p{Bidi_Control}\p{Default_Ignorable_Code_Point}\u2028\u2029\ufff9-\ufffb]/gu;

export function decodeTokenText(data: Bytes): TokenText {
  const content = data.length === WORD ? withoutTrailingZeros(data) : readString(data);
  const text = content === undefined ? "" : clean(decodeUtf8(content));
  return { text: text === "" ? null : text, raw: data.subarray(0, MAX_RAW) };
}

/** Null if it is no uint8. */
export function decodeDecimals(data: Bytes): number | null {
  if (data.length < WORD || !isZero(data.subarray(0, WORD - 1))) return null;
  return data[WORD - 1]!;
}

/** First word as a uint256, as for `totalSupply()`. */
export function decodeUint(data: Bytes): bigint | null {
  return data.length < WORD ? null : uintToBigInt(data.subarray(0, WORD));
}

/** A string of any length; undefined if malformed. */
export function decodeText(data: Bytes): string | undefined {
  const content = readString(data);
  return content && new TextDecoder().decode(content);
}

function readString(data: Bytes): Bytes | undefined {
  const offset = readSize(data, 0);
  if (offset === undefined) return undefined;
  const length = readSize(data, offset);
  if (length === undefined) return undefined;
  const start = offset + WORD;
  return start + length <= data.length ? data.subarray(start, start + length) : undefined;
}

function withoutTrailingZeros(data: Bytes): Bytes {
  let end = data.length;
  while (end > 0 && data[end - 1] === 0) end--;
  return data.subarray(0, end);
}

/** Reads only a prefix and drops a character cut at its end. */
function decodeUtf8(content: Bytes): string {
  const stream = content.length > MAX_RAW;
  return new TextDecoder().decode(content.subarray(0, MAX_RAW), { stream });
}

function clean(text: string): string {
  // After stripping, since removal may join a letter and its accent.
  const seen = text.replace(UNSEEN, "").normalize("NFC").replace(/\s+/g, " ").trim();
  return cut(seen, MAX_TEXT).trimEnd();
}

function cut(text: string, maxBytes: number): string {
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(maxBytes));
  return text.slice(0, read);
}
