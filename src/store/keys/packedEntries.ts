import type { Bytes } from "../../chain/encoding/bytes.ts";
import type { Row } from "../engine/database.ts";
import type { ByteRange } from "../rows/byteRange.ts";
import { corrupt } from "../rows/encoding.ts";
import type { KeyEntries } from "./keyEntries.ts";
import type { KeyTable } from "./keyTable.ts";
import { KEY_SPACE } from "./keyTable.ts";

/**
 * Packed entries are the low 42 bits of a key in 6 digits of 7 bits, then the value and the fingerprint, lowest digit first.
 * Only the first byte of an entry has its high bit set, so a search for the bytes of a key finds nothing but a whole entry.
 */
export const KEY_DIGITS = 6;

const LOW_KEYS = 2 ** 42;
const HALF = 2 ** 21;
const VALUE_UNIT = 2 ** 28;
const FIRST = 0x80;

/** Runs have at least the buckets that the upper 10 bits select: with the digits they make the whole key. */
const MIN_BUCKETS = KEY_SPACE / LOW_KEYS;

/** On average at most. More make fewer rows, but a lookup searches one body of every run. */
const ENTRIES_PER_BODY = 40;

/** Below the size at which PostgreSQL moves a value out of its row: over three times the average. */
export const MAX_PACKED_SIZE = 1990;

/** Which part of all keys a row of a run has. */
export function bucketWidth(entries: number): number {
  let buckets = MIN_BUCKETS;
  while (buckets * ENTRIES_PER_BODY < entries) buckets *= 2;
  return KEY_SPACE / buckets;
}

/** The bytes by which a key is found in a body. */
export function patternOf(key: number): Bytes {
  const pattern = new Uint8Array(KEY_DIGITS);
  writeKey(pattern, 0, key);
  return pattern;
}

export interface Packing extends EntryLayout {
  /** Id of the row of the first bucket. */
  readonly first: number;
  readonly width: number;
}

export type EntryLayout = Pick<KeyTable, "valueDigits" | "fingerprintDigits">;

const sizeOf = ({ valueDigits, fingerprintDigits }: EntryLayout): number =>
  KEY_DIGITS + valueDigits + fingerprintDigits;

/** Rows of a run, in order. A key is in a body once; what is left over for that or for want of room is added to `rest`. */
export function packEntries(entries: KeyEntries, packing: Packing, rest: KeyEntries): Row[] {
  const { first, width, valueDigits, fingerprintDigits } = packing;
  const size = sizeOf(packing);
  const body = new Uint8Array(Math.floor(MAX_PACKED_SIZE / size) * size);
  const rows: Row[] = [];
  let [bucket, length, last] = [-1, 0, -1];
  for (const at of entries.sortedOrder()) {
    const key = entries.first(at);
    const own = Math.floor(key / width);
    if (own !== bucket) {
      if (length > 0) rows.push([first + bucket, body.slice(0, length)]);
      bucket = own;
      length = 0;
    }
    if (key === last || length === body.length) {
      rest.add(key, entries.second(at), entries.fingerprint(at));
      continue;
    }
    writeKey(body, length, key);
    writeValue(body, length + KEY_DIGITS, entries.second(at), valueDigits);
    writeValue(body, length + KEY_DIGITS + valueDigits, entries.fingerprint(at), fingerprintDigits);
    length += size;
    last = key;
  }
  if (length > 0) rows.push([first + bucket, body.slice(0, length)]);
  return rows;
}

/** Adds the entries of a row up to a value. */
export function unpackEntries(body: Bytes, id: number, packing: Packing, highest: number, to: KeyEntries): void {
  const { first, width, valueDigits, fingerprintDigits } = packing;
  const size = sizeOf(packing);
  if (body.length % size !== 0) throw corrupt("packed keys have another size");
  const start = (id - first) * width;
  for (let at = 0; at < body.length; at += size) {
    const value = readValue(body, at + KEY_DIGITS, valueDigits);
    if (value > highest) continue;
    const low = readKey(body, at);
    const fingerprint = readValue(body, at + KEY_DIGITS + valueDigits, fingerprintDigits);
    to.add(start + low - Math.floor(low / width) * width, value, fingerprint);
  }
}

/** Adds the entry of a key in the row of its bucket, by binary search: entries are in order. */
export function findInBody(
  { bytes, start, end }: ByteRange,
  key: number,
  layout: EntryLayout,
  highest: number,
  to: KeyEntries,
): void {
  const size = sizeOf(layout);
  if ((end - start) % size !== 0) throw corrupt("packed keys have another size");
  const low = key - Math.floor(key / LOW_KEYS) * LOW_KEYS;
  let [from, below] = [0, (end - start) / size];
  while (from < below) {
    const middle = (from + below) >> 1;
    const at = start + middle * size;
    const found = readKey(bytes, at);
    if (found === low) {
      const value = readValue(bytes, at + KEY_DIGITS, layout.valueDigits);
      const fingerprint = readValue(bytes, at + KEY_DIGITS + layout.valueDigits, layout.fingerprintDigits);
      if (value <= highest) to.add(key, value, fingerprint);
      return;
    }
    if (found < low) from = middle + 1;
    else below = middle;
  }
}

function writeKey(target: Bytes, at: number, key: number): void {
  const low = key - Math.floor(key / LOW_KEYS) * LOW_KEYS;
  const upper = Math.floor(low / HALF);
  const lower = low - upper * HALF;
  target[at] = FIRST | (upper >> 14);
  target[at + 1] = (upper >> 7) & 127;
  target[at + 2] = upper & 127;
  target[at + 3] = lower >> 14;
  target[at + 4] = (lower >> 7) & 127;
  target[at + 5] = lower & 127;
}

function readKey(body: Bytes, at: number): number {
  const upper = ((body[at]! & 127) << 14) | (body[at + 1]! << 7) | body[at + 2]!;
  const lower = (body[at + 3]! << 14) | (body[at + 4]! << 7) | body[at + 5]!;
  return upper * HALF + lower;
}

function writeValue(target: Bytes, at: number, value: number, digits: number): void {
  const upper = Math.floor(value / VALUE_UNIT);
  const lower = value - upper * VALUE_UNIT;
  for (let i = 0; i < Math.min(4, digits); i++) target[at + i] = (lower >> (7 * i)) & 127;
  for (let i = 4; i < digits; i++) target[at + i] = (upper >> (7 * (i - 4))) & 127;
}

function readValue(body: Bytes, at: number, digits: number): number {
  if (digits === 0) return 0;
  const lower = body[at]! | (body[at + 1]! << 7) | (body[at + 2]! << 14) | (body[at + 3]! << 21);
  let upper = 0;
  for (let i = digits - 1; i >= 4; i--) upper = (upper << 7) | body[at + i]!;
  return upper * VALUE_UNIT + lower;
}
