import type { Bytes } from "../../chain/encoding/bytes.ts";
import { EMPTY } from "../../chain/encoding/bytes.ts";
import { Slab } from "../../std/bytes.ts";
import type { ByteRange } from "./byteRange.ts";
import type { ByteReader, ByteWriter } from "./encoding.ts";
import { corrupt } from "./encoding.ts";

/**
 * Calldata and event data are mostly 32-byte words with leading zeros, after a 4-byte selector in calls. Data of that
 * shape is stored as words without the zeros; the first varint selects the form.
 */
const FORMS = 3;
const RAW = 0;
const WORDS = 1;
const CALL = 2;

/** Longer data is stored raw: it is code or bytes, and rows must decode quickly. */
const MAX_WORDS = 256;

export function writeData(data: Bytes, writer: ByteWriter): void {
  const rest = data.length % 32;
  const words = (data.length - rest) / 32;
  if ((rest !== 0 && rest !== 4) || words === 0 || words > MAX_WORDS) {
    writer.varint(data.length * FORMS + RAW);
    writer.raw(data);
    return;
  }
  writer.varint(words * FORMS + (rest === 0 ? WORDS : CALL));
  if (rest === 4) writer.raw(data.subarray(0, 4));
  for (let at = rest; at < data.length; at += 32) writer.word(data, at);
}

export function readData(reader: ByteReader, slab = new Slab()): Bytes {
  const head = reader.varint();
  const form = head % FORMS;
  const size = (head - form) / FORMS;
  if (form === RAW) return size === 0 ? EMPTY : reader.raw(size);
  const length = lengthOf(form, size);
  const data = slab.take(length);
  fillWords(reader, data, 0, length);
  return data;
}

/** Without allocating an array. */
export function locateData(reader: ByteReader, slab: Slab): ByteRange {
  const head = reader.varint();
  const form = head % FORMS;
  const size = (head - form) / FORMS;
  if (form === RAW) {
    const start = reader.at;
    reader.skip(size);
    return { bytes: reader.bytes, start, end: start + size };
  }
  const length = lengthOf(form, size);
  const start = slab.claim(length);
  fillWords(reader, slab.bytes, start, start + length);
  return { bytes: slab.bytes, start, end: start + length };
}

function lengthOf(form: number, words: number): number {
  if (words > MAX_WORDS) throw corrupt("a stored row has more words than there can be");
  return (form === CALL ? 4 : 0) + words * 32;
}

/** After an optional selector, into zeroed bytes. */
function fillWords(reader: ByteReader, target: Bytes, start: number, end: number): void {
  const rest = (end - start) % 32;
  reader.copy(target, start, rest);
  for (let at = start + rest; at < end; at += 32) reader.word(target, at);
}

export function skipData(reader: ByteReader): number {
  const head = reader.varint();
  const form = head % FORMS;
  const size = (head - form) / FORMS;
  if (form === RAW) {
    reader.skip(size);
    return size;
  }
  if (form === CALL) reader.skip(4);
  for (let word = 0; word < size; word++) reader.skip(reader.byte());
  return (form === CALL ? 4 : 0) + size * 32;
}
