import { fieldsEnd, setFieldsEnd } from "./memory.ts";

/**
 * Reads strict JSON at a cursor. Nothing is guessed: what is not in the expected form sets `isUnknown`, and the host's
 * decoder takes the document. Zeros follow each document, and no reader goes past one.
 */
let cursor: u32 = 0;

export let isUnknown: bool = false;

/** Length of the bytes that the latest field has. */
export let fieldLength: u32 = 0;

export function begin(at: u32): void {
  cursor = at;
}

export function start(): void {
  isUnknown = false;
}

/** Always false, so that a reader can end with it. */
export function giveUp(): bool {
  isUnknown = true;
  return false;
}

export function position(): u32 {
  return cursor;
}

function skipSpace(): u32 {
  let byte = <u32>load<u8>(cursor);
  while (byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09) byte = <u32>load<u8>(++cursor);
  return byte;
}

/** The next byte that is no white space. */
export function peek(): u32 {
  return skipSpace();
}

export function take(byte: u32): bool {
  if (skipSpace() !== byte) return false;
  cursor++;
  return true;
}

/** After an entry: true before another one, false at the end or where neither follows. */
export function takeNext(close: u32): bool {
  if (take(0x2c)) return true;
  return take(close) ? false : giveUp();
}

/** Opens a list or object: true if it has an entry. */
export function takeOpen(open: u32, close: u32): bool {
  if (!take(open)) return giveUp();
  return !take(close);
}

/** Bytes of the word that `load<u32>` reads, as `null` and the like are. */
function takeWord(word: u32): bool {
  skipSpace();
  if (load<u32>(cursor) !== word) return false;
  cursor += 4;
  return true;
}

export function takeNull(): bool {
  return takeWord(0x6c6c756e);
}

export function takeFalse(): bool {
  skipSpace();
  if (load<u32>(cursor) !== 0x736c6166 || load<u8>(cursor + 4) !== 0x65) return false;
  cursor += 5;
  return true;
}

/** Cursor behind `"0x`. */
function takePrefix(): bool {
  if (skipSpace() !== 0x22 || load<u16>(cursor + 1) !== 0x7830) return giveUp();
  cursor += 3;
  return true;
}

function nibble(byte: u32): u32 {
  const digit = byte - 0x30;
  if (digit < 10) return digit;
  const letter = (byte | 0x20) - 0x61;
  return letter < 6 ? letter + 10 : 16;
}

/** Digits of 16 characters; a lane is above 15 where the character is none. */
function nibbles(characters: v128): v128 {
  const digits = i8x16.sub(characters, i8x16.splat(0x30));
  const letters = i8x16.sub(v128.or(characters, i8x16.splat(0x20)), i8x16.splat(0x61));
  const isLetter = i8x16.lt_u(letters, i8x16.splat(6));
  const isNone = v128.not(v128.or(isLetter, i8x16.lt_u(digits, i8x16.splat(10))));
  return v128.or(v128.bitselect(i8x16.add(letters, i8x16.splat(10)), digits, isLetter), isNone);
}

/** Pairs of digits in the low 8 bytes. */
function pairs(digits: v128): v128 {
  const bytes = v128.or(i16x8.shl(digits, 4), i16x8.shr_u(digits, 8));
  return v128.and(bytes, i16x8.splat(0xff));
}

function areDigits(digits: v128): bool {
  return !v128.any_true(i8x16.gt_u(digits, i8x16.splat(15)));
}

/** A field of `size` bytes, a multiple of 4, decoded to `target`. */
export function readInto(target: u32, size: u32): bool {
  if (!takePrefix()) return false;
  let from = cursor;
  let to = target;
  const end = target + size;
  while (to + 16 <= end) {
    const first = nibbles(v128.load(from));
    const second = nibbles(v128.load(from + 16));
    if (!areDigits(v128.or(first, second))) return giveUp();
    v128.store(to, i8x16.narrow_i16x8_u(pairs(first), pairs(second)));
    from += 32;
    to += 16;
  }
  for (; to < end; to++) {
    const high = nibble(load<u8>(from));
    const low = nibble(load<u8>(from + 1));
    if ((high | low) > 15) return giveUp();
    store<u8>(to, (high << 4) | low);
    from += 2;
  }
  if (load<u8>(from) !== 0x22) return giveUp();
  cursor = from + 1;
  return true;
}

/** A field of a fixed size. Its address, or 0. */
export function readFixed(size: u32): u32 {
  const at = fieldsEnd;
  if (!readInto(at, size)) return 0;
  setFieldsEnd(at + size);
  return at;
}

/** Bytes of any length, in pairs of digits. Their address, or 0. */
export function readBytes(): u32 {
  const at = fieldsEnd;
  if (!takePrefix()) return 0;
  let from = cursor;
  let to = at;
  for (;;) {
    const digits = nibbles(v128.load(from));
    if (!areDigits(digits)) break;
    const bytes = pairs(digits);
    v128.store64_lane(to, i8x16.narrow_i16x8_u(bytes, bytes), 0);
    from += 16;
    to += 8;
  }
  for (;;) {
    const high = nibble(load<u8>(from));
    if (high > 15) break;
    const low = nibble(load<u8>(from + 1));
    if (low > 15) break;
    store<u8>(to++, (high << 4) | low);
    from += 2;
  }
  if (load<u8>(from) !== 0x22) {
    giveUp();
    return 0;
  }
  cursor = from + 1;
  fieldLength = to - at;
  setFieldsEnd(to);
  return at;
}

/** A quantity of at most 32 bytes, without leading zeros. Its address, or 0. */
export function readUint(): u32 {
  const at = fieldsEnd;
  if (!takePrefix()) return 0;
  let from = cursor;
  if (load<u8>(from) === 0x22) giveUp();
  while (load<u8>(from) === 0x30) from++;
  let end = from;
  while (nibble(load<u8>(end)) < 16) end++;
  const digits = end - from;
  if (digits > 64 || load<u8>(end) !== 0x22) giveUp();
  if (isUnknown) return 0;
  let to = at;
  if ((digits & 1) === 1) store<u8>(to++, nibble(load<u8>(from++)));
  for (; from < end; from += 2) store<u8>(to++, (nibble(load<u8>(from)) << 4) | nibble(load<u8>(from + 1)));
  cursor = end + 1;
  fieldLength = to - at;
  setFieldsEnd(to);
  return at;
}

const MAX_SAFE: u64 = 0x1fffffffffffff;

/** A quantity below 2^53. */
export function readNumber(): f64 {
  if (!takePrefix()) return 0;
  let from = cursor;
  let value: u64 = 0;
  let digit = nibble(load<u8>(from));
  if (digit > 15) giveUp();
  while (digit < 16) {
    value = (value << 4) | digit;
    if (value > MAX_SAFE) {
      giveUp();
      return 0;
    }
    digit = nibble(load<u8>(++from));
  }
  if (load<u8>(from) !== 0x22) giveUp();
  cursor = from + 1;
  return <f64>value;
}

function isPlain(byte: u32): bool {
  return byte > 0x1f && byte < 0x7f && byte !== 0x22 && byte !== 0x5c;
}

/** Moves the cursor behind a string without escapes, which starts at it. */
export function skipString(): bool {
  if (!take(0x22)) return giveUp();
  while (isPlain(load<u8>(cursor))) cursor++;
  return load<u8>(cursor++) === 0x22 || giveUp();
}

/**
 * Moves the cursor behind a list, object, string or word. Only brackets are counted, also those in strings: the result
 * is a guess, which decoding has to confirm.
 */
export function skipValue(): bool {
  const first = skipSpace();
  if (first === 0x22) return skipString();
  if (first !== 0x5b && first !== 0x7b) return takeNull() || giveUp();
  let depth = 0;
  let byte: u32;
  do {
    byte = <u32>load<u8>(cursor++);
    if (byte === 0x5b || byte === 0x7b) depth++;
    else if (byte === 0x5d || byte === 0x7d) depth--;
  } while (depth > 0 && byte !== 0);
  return byte !== 0 || giveUp();
}
