import type { Bytes } from "../../../chain/encoding/bytes.ts";
import type { Uint } from "../../../chain/encoding/uint.ts";
import type { CallType, InternalCall } from "../../../chain/trace/internalCall.ts";
import { CALL_TYPES } from "../../../chain/trace/internalCall.ts";
import { ByteReader, ByteWriter, corrupt } from "../../rows/encoding.ts";
import type { TraceAddressId } from "../../rows/ids.ts";

/** Parties are ids, 0 for none. */
export interface StoredCall {
  readonly type: CallType;
  /** Slot of the transaction. */
  readonly slot: number;
  readonly index: number;
  readonly depth: number;
  readonly from: TraceAddressId;
  readonly to: TraceAddressId;
  readonly value: Uint;
  readonly gas: number;
  readonly gasUsed: number;
  readonly error: string | undefined;
  readonly isUndone: boolean;
}

/** Errors stored as one byte. */
const ERRORS = ["", "execution reverted", "out of gas", "contract creation code storage out of gas"];
const OTHER = 255;

const TYPE_BITS = 3;
const UNDONE = 1 << TYPE_BITS;
const FAILED = UNDONE << 1;

export function writeCall(
  call: InternalCall,
  slot: number,
  from: TraceAddressId,
  to: TraceAddressId,
  writer: ByteWriter,
): void {
  const isFailed = call.error !== undefined;
  writer.byte(CALL_TYPES.indexOf(call.type) | (call.isUndone ? UNDONE : 0) | (isFailed ? FAILED : 0));
  for (const number of [slot, call.index, call.depth, from, to, call.gas, call.gasUsed]) writer.varint(number);
  writer.string(call.value);
  if (isFailed) writeError(call.error, writer);
}

function writeError(error: string, writer: ByteWriter): void {
  const known = ERRORS.indexOf(error);
  writer.byte(known < 0 ? OTHER : known);
  if (known < 0) writer.string(Buffer.from(error));
}

export function readCall(body: Bytes): StoredCall {
  const reader = new ByteReader(body);
  const flags = reader.byte();
  const type = CALL_TYPES[flags & (UNDONE - 1)];
  if (type === undefined) throw corrupt("a stored call is of no type");
  return {
    type,
    slot: reader.varint(),
    index: reader.varint(),
    depth: reader.varint(),
    from: reader.varint(),
    to: reader.varint(),
    gas: reader.varint(),
    gasUsed: reader.varint(),
    value: reader.string(),
    error: (flags & FAILED) === 0 ? undefined : readError(reader),
    isUndone: (flags & UNDONE) !== 0,
  };
}

function readError(reader: ByteReader): string {
  const known = reader.byte();
  if (known === OTHER) return Buffer.from(reader.string()).toString();
  const error = ERRORS[known];
  if (error === undefined) throw corrupt("a stored call failed for no reason");
  return error;
}

/** Calls per transaction, oversized traces, and failures. */
export interface TracedIndex {
  readonly index: number;
  readonly calls: number;
  readonly isUntraced: boolean;
  readonly error: string | undefined;
}

const UNTRACED = 1;
const HAS_ERROR = 2;
const COUNTED = 4;

export function writeTracedIndexes(transactions: readonly TracedIndex[]): Bytes {
  const writer = new ByteWriter(64);
  let last = 0;
  for (const { index, calls, isUntraced, error } of transactions) {
    writer.varint(index - last);
    writer.varint(calls * COUNTED + (isUntraced ? UNTRACED : 0) + (error === undefined ? 0 : HAS_ERROR));
    if (error !== undefined) writeError(error, writer);
    last = index;
  }
  return writer.copy();
}

export function readTracedIndexes(body: Bytes): TracedIndex[] {
  const reader = new ByteReader(body);
  const found: TracedIndex[] = [];
  let index = 0;
  while (!reader.done) {
    index += reader.varint();
    const count = reader.varint();
    const error = (count & HAS_ERROR) === 0 ? undefined : readError(reader);
    found.push({ index, calls: Math.floor(count / COUNTED), isUntraced: (count & UNTRACED) !== 0, error });
  }
  return found;
}
