import { ChainError } from "../error.ts";
import type { AddressBytes, Bytes, Hash } from "./bytes.ts";
import { EMPTY } from "./bytes.ts";
import { ExtraReader } from "./extra.ts";
import { clip } from "./hex.ts";
import type { Uint } from "./uint.ts";

export type Wire = { readonly [key: string]: unknown };

/** Bytes of a field, such as transaction input or log data. */
const MAX_FIELD_BYTES = 32 << 20;

/** Ethereum allows 24,576 bytes. */
export const MAX_CODE_BYTES = 1 << 20;

export type Draft<T> = { -readonly [K in keyof T]: T[K] };

/**
 * Decodes the hex fields of a response. Values are views into a few shared buffers, so thousands of fields cost a
 * handful of allocations. Node's hex decoder truncates wide characters; that odd spelling is not checked for on every
 * string.
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
    // Node's hex decoder stops at the first non-digit and ignores an odd last digit.
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

  /** Concatenated hashes, the form of log topics. */
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
  // `Number` ignores trailing white space of any kind.
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

/** Rejects a response that contradicts itself; a missing copy is fine. */
export function expectSame(value: unknown, expected: unknown, field: string): void {
  if (value === expected || value === undefined) return;
  if (typeof value === "string" && typeof expected === "string" && value.toLowerCase() === expected.toLowerCase())
    return;
  throw invalid(field, value, clip(show(expected)));
}

/**
 * Records the first redundant copy that differs from the original. Copies are not used, so they may be missing or
 * spelled differently; an integrity check judges them.
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

/** Prefix of a value of any size and depth, for error messages. */
function show(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value.slice(0, 1000));
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "nothing";
  return Array.isArray(value) ? `an array of ${value.length}` : "an object";
}

/** Some nodes send a JSON number instead of a hex quantity. */
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
