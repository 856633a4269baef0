import { ChainError } from "../error.ts";
import type { AddressBytes, Bytes, Hash } from "./bytes.ts";
import { EMPTY } from "./bytes.ts";
import { ExtraReader } from "./extra.ts";
import { clip } from "./hex.ts";
import type { Uint } from "./uint.ts";

/** A JSON object as a node sent it. */
export type Wire = { readonly [key: string]: unknown };

/** The most bytes that one field may have, such as the input of a transaction or the data of a log. */
export const MAX_FIELD_BYTES = 32 << 20;

/** The most bytes that the code of a contract may have; Ethereum allows 24,576. */
export const MAX_CODE_BYTES = 1 << 20;

/** A value while it is being decoded. */
export type Draft<T> = { -readonly [K in keyof T]: T[K] };

/**
 * Reads the hex fields of one answer into bytes. Values are views into a few shared buffers, so that a block of
 * thousands of fields costs a handful of allocations. Node's hex decoder takes a wide character for its low byte: an odd
 * spelling of the same bytes, which is not worth a look at every string.
 */
export class WireReader {
  readonly extras = new ExtraReader();
  #buffer = Buffer.allocUnsafeSlow(1 << 15);
  #at = 0;

  bytes(value: unknown, field: string, length?: number, atMost = MAX_FIELD_BYTES): Bytes {
    const text = hexText(value, field);
    const size = (text.length - 2) >> 1;
    if (length !== undefined && size !== length) throw invalid(field, value, `${length} bytes`);
    if (size > atMost) throw invalid(field, value, `at most ${atMost} bytes`);
    if (size === 0) {
      if (text.length !== 2) throw invalid(field, value, "pairs of hex digits");
      return EMPTY;
    }
    this.#reserve(size);
    const at = this.#at;
    // Node's hex decoder stops at the first character that is no digit, and ignores a last odd one.
    const written = this.#buffer.write(text.slice(2), at, size, "hex");
    if (written !== size || text.length !== size * 2 + 2) throw invalid(field, value, "pairs of hex digits");
    this.#at += size;
    return new Uint8Array(this.#buffer.buffer, at, size);
  }

  code(value: unknown): Bytes {
    return this.bytes(value, "code", undefined, MAX_CODE_BYTES);
  }

  hash(value: unknown, field: string): Hash {
    return this.bytes(value, field, 32);
  }

  address(value: unknown, field: string): AddressBytes {
    return this.bytes(value, field, 20);
  }

  /** Some hashes one after another, as the topics of a log are kept. */
  hashes(values: unknown, field: string, atMost: number): Bytes {
    if (!Array.isArray(values) || values.length > atMost) throw invalid(field, values, `at most ${atMost} hashes`);
    if (values.length === 0) return EMPTY;
    this.#reserve(values.length * 32);
    const at = this.#at;
    for (const value of values) this.hash(value, field);
    return new Uint8Array(this.#buffer.buffer, at, values.length * 32);
  }

  uint(value: unknown, field: string): Uint {
    const text = hexText(typeof value === "number" ? plainHex(value) : value, field);
    let start = 2;
    while (start < text.length && text.charCodeAt(start) === 48) start++;
    const digits = text.length - start;
    if (text.length === 2 || digits > 64) throw invalid(field, value, "a hex quantity of at most 32 bytes");
    if (digits === 0) return EMPTY;
    const size = (digits + 1) >> 1;
    this.#reserve(size);
    const at = this.#at;
    const even = digits % 2 === 0 ? text.slice(start) : `0${text.slice(start)}`;
    if (this.#buffer.write(even, at, size, "hex") !== size) throw invalid(field, value, "hex digits");
    this.#at += size;
    return new Uint8Array(this.#buffer.buffer, at, size);
  }

  #reserve(size: number): void {
    if (this.#at + size <= this.#buffer.length) return;
    this.#buffer = Buffer.allocUnsafeSlow(Math.max(size, Math.min(this.#buffer.length * 2, 1 << 20)));
    this.#at = 0;
  }
}

export function readNumber(value: unknown, field: string): number {
  if (isPlain(value)) return Math.abs(value);
  const text = hexText(value, field);
  const number = Number(text);
  const last = text.charCodeAt(text.length - 1);
  // `Number` ignores white space at the end, of which there are many kinds.
  const isDigit = last > 47 && last < 103;
  if (!Number.isSafeInteger(number) || !isDigit) throw invalid(field, value, "a hex quantity below 2^53");
  return number;
}

export function readObject(value: unknown, field: string): Wire {
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw invalid(field, value, "an object");
  return value as Wire;
}

export function readArray(value: unknown, field: string, atMost?: number): readonly unknown[] {
  if (!Array.isArray(value)) throw invalid(field, value, "an array");
  if (atMost !== undefined && value.length > atMost) throw invalid(field, value.length, `at most ${atMost} entries`);
  return value;
}

/** Refuses an answer whose copy of a value contradicts the original; a missing copy says nothing. */
export function expectSame(value: unknown, expected: unknown, field: string): void {
  if (value === expected || value === undefined) return;
  if (typeof value === "string" && typeof expected === "string" && value.toLowerCase() === expected.toLowerCase())
    return;
  throw invalid(field, value, clip(show(expected)));
}

/**
 * Notes where a copy of a value says something else than the original. Nothing is taken from such a copy, so it may be
 * missing or spelled in another way, and one that is wrong is for a check to judge. One note is enough.
 */
export function compareCopy(value: unknown, original: unknown, field: string, mismatches: string[]): void {
  if (value === original || value === undefined || value === null || mismatches.length > 0) return;
  const isNumeric = typeof value === "string" || typeof value === "number";
  if (isNumeric && Number(value) === Number(original)) return;
  mismatches.push(invalid(field, value, clip(show(original))).message);
}

export function invalid(field: string, value: unknown, expected: string): ChainError {
  const shown = clip(show(value));
  return new ChainError("upstream_invalid", `${field}: expected ${expected}, the node sent ${shown}`);
}

/** What the node sent as a text, of which the beginning is shown: it may be of any size and depth. */
function show(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value.slice(0, 1000));
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "nothing";
  return Array.isArray(value) ? `an array of ${value.length}` : "an object";
}

/** Some nodes send a JSON number where a hex quantity is due. */
function isPlain(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}

function plainHex(value: number): unknown {
  return isPlain(value) ? `0x${value.toString(16)}` : value;
}

function hexText(value: unknown, field: string): string {
  if (typeof value === "string" && value.charCodeAt(0) === 48 && value.charCodeAt(1) === 120) return value;
  throw invalid(field, value, "a hex string");
}
