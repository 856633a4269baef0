import type { Bytes } from "../../chain/encoding/bytes.ts";
import { ChainError } from "../../chain/error.ts";
import {
  findParts,
  INPUT_PART,
  LOGS_PART,
  PARTS,
  packHead,
  readLogsAt,
  readRowHead,
  SELECTOR_SIZE,
} from "./bodyParts.ts";
import { ByteReader, ByteWriter } from "./encoding.ts";
import { joinLogs, splitLogs } from "./logBody.ts";
import { readData } from "./words.ts";

/** Longer bodies are divided, since lists read rows and must not read what they do not show. */
export const MAX_BODY_LENGTH = 4096;

/** Longer parts overflow. Inputs shown in lists are shorter. */
export const MAX_PART_LENGTH = 1280;

export interface DividedBody {
  readonly row: Bytes;
  /** By part number; tails are numbered by log index. */
  readonly parts: readonly (readonly [part: number, body: Bytes])[];
  readonly chunks: readonly (readonly [first: number, body: Bytes])[];
}

export const tailPart = (offset: number): number => LOGS_PART + offset;

export function divideBody(body: Bytes): DividedBody {
  const logsAt = readLogsAt(body);
  const row = new ByteWriter(2 * MAX_BODY_LENGTH);
  const parts: [number, Bytes][] = [];
  let [at, overflow] = [0, 0];
  for (const [part, { from, to }] of findParts(body, overflow).entries()) {
    if (to - from <= MAX_PART_LENGTH) continue;
    row.raw(body.subarray(at, from));
    if (part === INPUT_PART) row.raw(readData(new ByteReader(body, from)).subarray(0, SELECTOR_SIZE));
    parts.push([part, body.subarray(from, to)]);
    overflow |= 1 << part;
    at = to;
  }
  row.raw(body.subarray(at, logsAt));
  const rowLogsAt = row.length;
  if (body.length - logsAt <= MAX_PART_LENGTH) {
    row.raw(body.subarray(logsAt));
    row.patch(0, packHead(rowLogsAt, overflow));
    return { row: row.view(), parts, chunks: [] };
  }
  const { count, chunks, tails } = splitLogs(body, logsAt);
  row.varint(count);
  row.patch(0, packHead(rowLogsAt, overflow | PARTS.logs));
  for (const [offset, tail] of tails) parts.push([tailPart(offset), tail]);
  return { row: row.view(), parts, chunks };
}

export function joinBody({ row, parts, chunks }: DividedBody): Bytes {
  const found = new Map(parts);
  const partOf = (part: number): Bytes => {
    const body = found.get(part);
    if (body === undefined) throw new ChainError("store_corrupt", "a part of a transaction is missing");
    return body;
  };
  const { logsAt, overflow } = readRowHead(row);
  const body = new ByteWriter(2 * MAX_BODY_LENGTH);
  let at = 0;
  for (const [part, { from, to }] of findParts(row, overflow).entries()) {
    if ((overflow & (1 << part)) === 0) continue;
    body.raw(row.subarray(at, from));
    body.raw(partOf(part));
    at = to;
  }
  body.raw(row.subarray(at, logsAt));
  body.patch(0, body.length);
  body.raw(row.subarray(logsAt));
  for (const [first, chunk] of chunks) joinLogs(chunk, first, (offset) => partOf(tailPart(offset)), body);
  return body.view();
}
