import { readSize, WORD } from "../abi/word.ts";
import type { Bytes } from "../encoding/bytes.ts";
import { isZero } from "../encoding/bytes.ts";
import { uintToBigInt } from "../encoding/uint.ts";

/** What a token calls itself. Anyone may deploy a token, so the text is made safe to show in one line. */
export interface TokenText {
  /** Null where the answer holds no text, or none that can be seen. */
  readonly text: string | null;
  /** The answer as it came, cut at `MAX_RAW` bytes. */
  readonly raw: Bytes;
}

export const MAX_TEXT = 256;
export const MAX_RAW = 4096;

/** Controls, characters that steer direction or show nothing, line separators, and marks of annotations. */
export const UNSEEN = /[\p{Cc}\p{Bidi_Control}\p{Default_Ignorable_Code_Point}\u2028\u2029\ufff9-\ufffb]/gu;

/** Decodes the answer of `name()` or `symbol()`: an ABI string, or the bytes32 of the first tokens. */
export function decodeTokenText(data: Bytes): TokenText {
  const content = data.length === WORD ? withoutTrailingZeros(data) : readString(data);
  const text = content === undefined ? "" : clean(decodeUtf8(content));
  return { text: text === "" ? null : text, raw: data.subarray(0, MAX_RAW) };
}

/** Decodes the answer of `decimals()`; null where it is no uint8. */
export function decodeDecimals(data: Bytes): number | null {
  if (data.length < WORD || !isZero(data.subarray(0, WORD - 1))) return null;
  return data[WORD - 1]!;
}

/** Decodes an answer whose first word is a uint256, as that of `totalSupply()`. */
export function decodeUint(data: Bytes): bigint | null {
  return data.length < WORD ? null : uintToBigInt(data.subarray(0, WORD));
}

/** Decodes the answer of a function that returns a string, however long; undefined where it is none. */
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

/** Looks at the first bytes alone, however long the text, and drops a character cut in two there. */
function decodeUtf8(content: Bytes): string {
  const stream = content.length > MAX_RAW;
  return new TextDecoder().decode(content.subarray(0, MAX_RAW), { stream });
}

function clean(text: string): string {
  // Composed after stripping, which can bring a letter and its accent together.
  const seen = text.replace(UNSEEN, "").normalize("NFC").replace(/\s+/g, " ").trim();
  return cut(seen, MAX_TEXT).trimEnd();
}

function cut(text: string, maxBytes: number): string {
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(maxBytes));
  return text.slice(0, read);
}
