import type { Log } from "../../chain/block/receipt.ts";
import type { Bytes } from "../../chain/encoding/bytes.ts";
import { EMPTY, equalBytes } from "../../chain/encoding/bytes.ts";
import type { ExtraFields } from "../../chain/encoding/extra.ts";
import type { Draft } from "../../chain/encoding/wire.ts";
import type { ByteRange } from "./byteRange.ts";
import { rangeOf } from "./byteRange.ts";
import { ByteReader, ByteWriter, corrupt } from "./encoding.ts";
import type { BodyIds, IdResolver } from "./ids.ts";
import { locateData, readData, skipData, writeData } from "./words.ts";

const TOPIC_COUNT = 7;
const HAS_EXTRA = 8;
/** Data is in an overflow row; its length is stored instead. */
const LONG_TAIL = 16;

/** Length marker of a topic stored as an address id; words are at most 32 bytes. */
const ADDRESS = 64;

/** Address topics of well-known events as bits, by the first four bytes of topic0. */
const ADDRESS_TOPICS: ReadonlyMap<number, number> = new Map([
  [0xddf252ad, 0b0110], // Transfer: its third is a token id or missing
  [0x8c5be1e5, 0b0110], // Approval
  [0x17307eab, 0b0110], // ApprovalForAll
  [0xc3d58168, 0b1110], // TransferSingle
  [0x4a39dc06, 0b1110], // TransferBatch
  [0xe1fffcc4, 0b0010], // Deposit
  [0x7fcf532c, 0b0010], // Withdrawal
]);

const UNKNOWN_EVENT = -1;

function addressTopics(topics: Bytes): number {
  const prefix = ((topics[0]! << 24) | (topics[1]! << 16) | (topics[2]! << 8) | topics[3]!) >>> 0;
  return ADDRESS_TOPICS.get(prefix) ?? UNKNOWN_EVENT;
}

/**
 * In unknown events small integers look like addresses: values below 2^128 stay words, or every token id would enter
 * the dictionary.
 */
function isAddressTopic(topics: Bytes, at: number, known: number): boolean {
  for (let i = at; i < at + 12; i++) if (topics[i] !== 0) return false;
  if (known !== UNKNOWN_EVENT) return (known & (1 << (at >> 5))) !== 0;
  return topics[at + 12] !== 0 || topics[at + 13] !== 0 || topics[at + 14] !== 0 || topics[at + 15] !== 0;
}

export function addLogIds(log: Log, ids: BodyIds): void {
  ids.emitters.note(log.address);
  if (log.topics.length > 0) ids.signatures.note(log.topics, 0);
  const known = addressTopics(log.topics);
  for (let at = 32; at < log.topics.length; at += 32) {
    if (isAddressTopic(log.topics, at, known)) ids.topics.note(log.topics, at + 12);
  }
}

export function writeLogs(logs: readonly Log[], ids: BodyIds, writer: ByteWriter): void {
  writer.varint(logs.length);
  for (const log of logs) {
    const topics = log.topics;
    const known = addressTopics(topics);
    writer.byte((topics.length >> 5) | (log.extra === undefined ? 0 : HAS_EXTRA));
    writer.varint(ids.emitters.next());
    if (topics.length > 0) writer.varint(ids.signatures.next());
    for (let at = 32; at < topics.length; at += 32) {
      if (isAddressTopic(topics, at, known)) {
        writer.byte(ADDRESS);
        writer.varint(ids.topics.next());
      } else {
        writer.word(topics, at);
      }
    }
    writeData(log.data, writer);
    if (log.extra !== undefined) writer.extra(log);
  }
}

export function readLogs(reader: ByteReader, firstLogIndex: number, resolver: IdResolver): Log[] {
  const logs: Log[] = [];
  for (let left = reader.varint(); left > 0; left--) {
    logs.push(readLog(reader, firstLogIndex + logs.length, resolver) as Log);
  }
  return logs;
}

export interface LogOutline extends Omit<Log, "data"> {
  /** Null if in an overflow row, together with unknown fields. */
  readonly data: Bytes | null;
  /** Overflow bytes. */
  readonly longTail?: number;
}

/** The reader is before the log at `first`. Stops after the last offset. */
export function readSomeLogs(
  reader: ByteReader,
  first: number,
  offsets: ReadonlySet<number>,
  firstLogIndex: number,
  resolver: IdResolver,
): Map<number, LogOutline> {
  const logs = new Map<number, LogOutline>();
  for (let offset = first; !reader.done && logs.size < offsets.size; offset++) {
    if (offsets.has(offset)) logs.set(offset, readLog(reader, firstLogIndex + offset, resolver));
    else skipLog(reader);
  }
  return logs;
}

export function readChunk(chunk: Bytes, firstLogIndex: number, resolver: IdResolver): LogOutline[] {
  const reader = new ByteReader(chunk);
  const logs: LogOutline[] = [];
  while (!reader.done) logs.push(readLog(reader, firstLogIndex + logs.length, resolver));
  return logs;
}

function readLog(reader: ByteReader, logIndex: number, resolver: IdResolver): LogOutline {
  const head = reader.byte();
  const address = resolver.address(reader.varint());
  const topics = resolver.slab.take((head & TOPIC_COUNT) * 32);
  readTopics(reader, topics, 0, topics.length, resolver);
  if (head & LONG_TAIL) return { address, topics, data: null, logIndex, longTail: reader.varint() };
  const log: Draft<LogOutline> = { address, topics, data: readData(reader, resolver.slab), logIndex };
  if (head & HAS_EXTRA) Object.assign(log, reader.extra());
  return log;
}

const ADDRESS_SIZE = 20;
const NO_DATA = rangeOf(EMPTY);

interface LocatedLog {
  /** Filled when the resolver is loaded. */
  readonly address: ByteRange;
  readonly topics: ByteRange;
  readonly data: ByteRange;
  readonly longTail: number;
}

export function locateLog(reader: ByteReader, resolver: IdResolver): LocatedLog {
  const head = reader.byte();
  const length = (head & TOPIC_COUNT) * 32;
  const { slab } = resolver;
  const start = slab.claim(ADDRESS_SIZE + length);
  const { bytes } = slab;
  const address = { bytes, start, end: start + ADDRESS_SIZE };
  const topics = { bytes, start: address.end, end: address.end + length };
  resolver.fillAddress(bytes, start, reader.varint());
  readTopics(reader, bytes, topics.start, topics.end, resolver);
  if (head & LONG_TAIL) return { address, topics, data: NO_DATA, longTail: readLongTail(reader) };
  const data = locateData(reader, slab);
  if (head & HAS_EXTRA) reader.skipString();
  return { address, topics, data, longTail: 0 };
}

function readLongTail(reader: ByteReader): number {
  const length = reader.varint();
  if (length === 0) throw corrupt("the data of a stored log lies apart and has no length");
  return length;
}

export const skipStoredLog = skipLog;

/** As an address id, or as bytes without leading zeros. */
export interface StoredTopic {
  /** Negative if it is no known address. */
  readonly id: number;
  readonly word: Bytes;
}

export interface StoredCriteria {
  readonly emitter: number | undefined;
  readonly signature: number | undefined;
  readonly topics: readonly (StoredTopic | undefined)[];
}

export function compareLog(reader: ByteReader, { emitter, signature, topics }: StoredCriteria): number {
  const head = reader.byte();
  const emittedBy = reader.varint();
  let found = 0;
  for (let number = 0; number < (head & TOPIC_COUNT); number++) {
    if (number === 0) {
      if (reader.varint() === signature) found |= 1;
    } else if (hasTopic(reader, topics[number])) {
      found |= 1 << number;
    }
  }
  skipTail(reader, head);
  return emitter === undefined || emitter === emittedBy ? found : -1;
}

function hasTopic(reader: ByteReader, wanted: StoredTopic | undefined): boolean {
  const length = reader.byte();
  if (length === ADDRESS) return reader.varint() === wanted?.id;
  if (wanted?.word.length === length) return equalBytes(reader.raw(length), wanted.word);
  reader.skip(length);
  return false;
}

function readTopics(reader: ByteReader, target: Bytes, start: number, end: number, resolver: IdResolver): void {
  if (start < end) resolver.fillSignature(target, start, reader.varint());
  for (let at = start + 32; at < end; at += 32) readTopic(reader, target, at, resolver);
}

function readTopic(reader: ByteReader, topics: Bytes, at: number, resolver: IdResolver): void {
  const length = reader.byte();
  if (length === ADDRESS) {
    resolver.fillAddress(topics, at + 12, reader.varint());
  } else {
    if (length > 32) throw corrupt("a stored topic has over 32 bytes");
    reader.copy(topics, at + 32 - length, length);
  }
}

function skipLog(reader: ByteReader): void {
  skipTail(reader, skipTopics(reader));
}

function skipTopics(reader: ByteReader): number {
  const head = reader.byte();
  reader.varint();
  for (let topic = 0; topic < (head & TOPIC_COUNT); topic++) {
    const length = topic === 0 ? ADDRESS : reader.byte();
    if (length === ADDRESS) reader.varint();
    else reader.skip(length);
  }
  return head;
}

function skipTail(reader: ByteReader, head: number): void {
  if (head & LONG_TAIL) {
    reader.varint();
    return;
  }
  skipData(reader);
  if (head & HAS_EXTRA) reader.skipString();
}

/** Data and unknown fields from an overflow row. */
export function readTail(tail: Bytes): Pick<Log, "data" | keyof ExtraFields> {
  const reader = new ByteReader(tail);
  const data = readData(reader);
  return reader.done ? { data } : { data, ...reader.extra() };
}

/** Chunks of bounded size by first log index, and oversized tails. */
interface LogChunks {
  readonly count: number;
  readonly chunks: readonly (readonly [first: number, body: Bytes])[];
  readonly tails: readonly (readonly [offset: number, tail: Bytes])[];
}

/** Several fit on a database page. Longer tails overflow, so every log fits. */
export const MAX_CHUNK_LENGTH = 1900;
const MAX_TAIL_LENGTH = 1024;
const TAIL_LENGTH = 8;

/** Chunks without a long tail are views. */
export function splitLogs(body: Bytes, logsAt: number): LogChunks {
  const reader = new ByteReader(body, logsAt);
  const count = reader.varint();
  const chunks: [number, Bytes][] = [];
  const tails: [number, Bytes][] = [];
  const writer = new ByteWriter(MAX_CHUNK_LENGTH);
  let [first, from] = [0, reader.at];
  const close = (end: number) => {
    const rest = body.subarray(from, end);
    if (writer.length > 0) writer.raw(rest);
    chunks.push([first, writer.length > 0 ? writer.copy() : rest]);
    writer.reset();
    from = end;
  };
  for (let offset = 0; offset < count; offset++) {
    const start = reader.at;
    const head = skipTopics(reader);
    const tailAt = reader.at;
    skipTail(reader, head);
    const end = reader.at;
    const isLong = end - tailAt > MAX_TAIL_LENGTH;
    if (writer.length + (isLong ? tailAt + TAIL_LENGTH : end) - from > MAX_CHUNK_LENGTH) {
      close(start);
      first = offset;
    }
    if (!isLong) continue;
    writer.raw(body.subarray(from, start));
    writer.byte(head | LONG_TAIL);
    writer.raw(body.subarray(start + 1, tailAt));
    writer.varint(end - tailAt);
    tails.push([offset, body.subarray(tailAt, end)]);
    from = end;
  }
  close(reader.at);
  return { count, chunks, tails };
}

export function joinLogs(chunk: Bytes, first: number, tailOf: (offset: number) => Bytes, writer: ByteWriter): void {
  const reader = new ByteReader(chunk);
  for (let offset = first; !reader.done; offset++) {
    const start = reader.at;
    const head = skipTopics(reader);
    const tailAt = reader.at;
    skipTail(reader, head);
    const isLong = (head & LONG_TAIL) !== 0;
    writer.byte(head & ~LONG_TAIL);
    writer.raw(chunk.subarray(start + 1, isLong ? tailAt : reader.at));
    if (isLong) writer.raw(tailOf(offset));
  }
}
