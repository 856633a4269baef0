import type { Bytes } from "../../chain/encoding/bytes.ts";
import { EMPTY } from "../../chain/encoding/bytes.ts";
import type { Flavour } from "../../std/values.ts";
import { ByteReader, ByteWriter } from "../rows/encoding.ts";
import type { Ordinal } from "../rows/position.ts";
import type { AddedEntries } from "./addedEntries.ts";
import { NONE } from "./addedEntries.ts";

/** `tag` in tagged lists. */
export interface Entry<I extends string = "position"> {
  readonly position: Flavour<number, I>;
  readonly tag: number;
}

/** Entries per sealed run. */
export const RUN = 128;

/** Count, and entries after the last full run. */
export interface Tail {
  count: number;
  body: Bytes;
}

export const NO_TAIL: Tail = { count: 0, body: EMPTY };

export type RunRow = [ordinal: Ordinal, body: Bytes];

/** Of runs and a tail, each with the ordinal it starts at, the entries with ordinals in [from, to). */
export function sliceRuns<I extends string>(
  rows: readonly RunRow[],
  from: Ordinal,
  to: Ordinal,
  tagged: boolean,
): Entry<I>[] {
  return rows.flatMap(([start, body]) =>
    decodeEntries<I>(body, tagged).slice(Math.max(from - start, 0), Math.max(to - start, 0)),
  );
}

export function decodeEntries<I extends string>(body: Bytes, tagged: boolean): Entry<I>[] {
  const reader = new ByteReader(body);
  const entries: Entry<I>[] = [];
  let position = 0;
  while (!reader.done) {
    position += reader.varint();
    entries.push({ position, tag: tagged ? reader.varint() : 0 });
  }
  return entries;
}

export function encodeEntries(entries: readonly Entry[], tagged: boolean): Bytes {
  const writer = new ByteWriter(256);
  let last = 0;
  for (const { position, tag } of entries) {
    writer.varint(position - last);
    if (tagged) writer.varint(tag);
    last = position;
  }
  return writer.copy();
}

/** Of no entry. */
const NO_POSITION = -1;

export interface CutEnds {
  /** -1 if nothing is left. */
  readonly newest: number;
  /** Infinite if nothing was dropped. */
  readonly oldestDropped: number;
}

/** Those before a position. */
export function cutEntries(entries: readonly Entry[], position: number): CutEnds & { readonly kept: readonly Entry[] } {
  const kept = entries.filter((entry) => entry.position < position);
  const newest = kept.at(-1)?.position ?? NO_POSITION;
  return { kept, newest, oldestDropped: entries[kept.length]?.position ?? Number.POSITIVE_INFINITY };
}

/** Receives a run that became full. */
export type SealRun = (owner: number, start: Ordinal, body: Bytes) => void;

/** Returns the newest entry of the tail before. */
export function writeTail(
  tail: Tail,
  added: AddedEntries,
  owner: number,
  tagged: boolean,
  writer: ByteWriter,
  seal: SealRun,
): number {
  const start = writer.length;
  let count = tail.count;
  const newest = count % RUN === 0 ? NO_POSITION : lastPosition(tail.body, tagged);
  let last = Math.max(newest, 0);
  writer.raw(tail.body);
  for (let entry = added.oldest(owner); entry !== NONE; entry = added.after(entry)) {
    const position = added.position(entry);
    writer.varint(position - last);
    if (tagged) writer.varint(added.tag(entry));
    last = position;
    if (++count % RUN !== 0) continue;
    seal(owner, count - RUN, writer.copy(start));
    writer.reset(start);
    last = 0;
  }
  return newest;
}

export function lastPosition(body: Bytes, tagged: boolean): number {
  const reader = new ByteReader(body);
  let position = 0;
  while (!reader.done) {
    position += reader.varint();
    if (tagged) reader.varint();
  }
  return position;
}

/** First ordinal of the tail. */
export function tailStart(count: number): Ordinal {
  return count - (count % RUN);
}
