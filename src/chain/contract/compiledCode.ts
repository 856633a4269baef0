import { createHash } from "node:crypto";
import type { Bytes } from "../encoding/bytes.ts";
import { isZero } from "../encoding/bytes.ts";

/** A byte range of code. */
export type CodeRange = readonly [start: number, length: number];

/** Ranges in which deployed code may differ from compiled code. */
export interface Pattern {
  /** Immutables and library addresses. */
  readonly values: readonly CodeRange[];
  /** Metadata hashes of contracts that this one creates. */
  readonly hashes: readonly CodeRange[];
}

/** Compiled runtime code before linking and immutables. */
export interface CompiledCode {
  readonly code: Bytes;
  readonly pattern: Pattern;
}

interface CodeKeys {
  /** Ignores the metadata at the end, which changes with comments and paths. */
  readonly fit: Bytes;
  /** Includes the metadata. */
  readonly exact: Bytes;
}

const PUSH20 = 0x73;
const PUSH32 = 0x7f;

/** Deployed code matches compiled code if their keys under the compiled pattern are equal. */
export function codeKeys(code: Bytes, pattern: Pattern): CodeKeys {
  const end = bodyLength(code);
  const body = Uint8Array.from(code.subarray(0, end));
  const metadata = createHash("sha256");
  for (const [start, length] of pattern.values) body.fill(0, start, start + length);
  for (const [start, length] of pattern.hashes) {
    metadata.update(body.subarray(start, start + length));
    body.fill(0, start, start + length);
  }
  const hasMetadata = end < code.length;
  const shape = JSON.stringify([pattern.values, pattern.hashes, end, hasMetadata]);
  const fit = createHash("sha256").update(shape).update(body).digest();
  return { fit, exact: metadata.update(fit).update(code.subarray(end)).digest() };
}

/** Length without trailing metadata: a CBOR map followed by its length in two bytes. */
export function bodyLength(code: Bytes): number {
  if (code.length < 2) return code.length;
  const end = code.length - 2;
  const start = end - ((code[end]! << 8) | code[end + 1]!);
  return start >= 0 && isMetadata(code.subarray(start, end)) ? start : code.length;
}

/** Finds all open ranges; `references` are those the compiler reports. */
export function patternOf(code: Bytes, references: readonly CodeRange[], hasReferences: boolean): Pattern {
  const end = bodyLength(code);
  const values = [...references, ...ownAddress(code), ...(hasReferences ? [] : zeroWords(code, end))];
  return { values: inOrder(values), hashes: metadataHashes(code.subarray(0, end)) };
}

/** Libraries compare their deployed address with ADDRESS: PUSH20 … ADDRESS EQ. */
function ownAddress(code: Bytes): CodeRange[] {
  const isLibrary = code[0] === PUSH20 && isZero(code.subarray(1, 21)) && code[21] === 0x30 && code[22] === 0x14;
  return isLibrary ? [[1, 20]] : [];
}

/** Compilers emit 32 zero bytes only for immutables. */
function zeroWords(code: Bytes, end: number): CodeRange[] {
  const found: CodeRange[] = [];
  for (let at = 0; at < end; at++) {
    const opcode = code[at]!;
    if (opcode < 0x60 || opcode > PUSH32) continue;
    const size = opcode - 0x5f;
    if (opcode === PUSH32 && at + size < end && isZero(code.subarray(at + 1, at + 1 + size)))
      found.push([at + 1, size]);
    at += size;
  }
  return found;
}

/** CBOR key "ipfs" and the prefix of the hash. */
const IPFS = Buffer.from("646970667358221220", "hex");

function metadataHashes(body: Bytes): CodeRange[] {
  const buffer = Buffer.from(body.buffer, body.byteOffset, body.length);
  const found: CodeRange[] = [];
  for (let at = buffer.indexOf(IPFS); at >= 0; at = buffer.indexOf(IPFS, at + IPFS.length)) {
    const start = at + IPFS.length;
    if (start + 32 <= body.length) found.push([start, 32]);
  }
  return found;
}

function inOrder(holes: readonly CodeRange[]): CodeRange[] {
  const longest = new Map<number, number>();
  for (const [start, length] of holes) longest.set(start, Math.max(length, longest.get(start) ?? 0));
  return [...longest].sort(([a], [b]) => a - b);
}

/** A CBOR map of strings to strings, bytes and booleans, with nothing after it. */
function isMetadata(cbor: Bytes): boolean {
  const entries = (cbor[0] ?? 0) - 0xa0;
  if (entries < 1 || entries > 23) return false;
  let at = 1;
  for (let entry = 0; entry < entries; entry++) {
    if ((cbor[at] ?? 0) >> 5 !== TEXT) return false;
    at = afterItem(cbor, afterItem(cbor, at));
  }
  return at === cbor.length;
}

const BYTES = 2;
const TEXT = 3;

/** Past the end if the item is not one of solc's. */
function afterItem(cbor: Bytes, at: number): number {
  const head = cbor[at] ?? 0;
  if (head === 0xf4 || head === 0xf5) return at + 1;
  if (head >> 5 !== BYTES && head >> 5 !== TEXT) return Number.POSITIVE_INFINITY;
  const length = head & 31;
  if (length < 24) return at + 1 + length;
  return length === 24 ? at + 2 + (cbor[at + 1] ?? 0) : Number.POSITIVE_INFINITY;
}
