import { EMPTY } from "../encoding/bytes.ts";
import type { Wire, WireReader } from "../encoding/wire.ts";
import { invalid, readArray, readNumber, readObject } from "../encoding/wire.ts";
import type { CallType, InternalCall, TracedTransaction } from "./internalCall.ts";
import { readError } from "./traceError.ts";

const TYPES: ReadonlyMap<unknown, CallType> = new Map<unknown, CallType>([
  ["CALL", "call"],
  ["CALLCODE", "callcode"],
  ["CREATE", "create"],
  ["CREATE2", "create2"],
  ["SELFDESTRUCT", "selfdestruct"],
]);

const NOTHING: ReadonlySet<unknown> = new Set([undefined, null, "0x0", "0x"]);

interface OpenFrame {
  readonly wire: Wire;
  readonly depth: number;
  readonly isUndone: boolean;
}

/** Reads what `callTracer` tells of a transaction: a tree of calls, which may be deep. */
export function readCallTrace(trace: unknown, reader: WireReader): TracedTransaction {
  const found: InternalCall[] = [];
  const top = readObject(trace, "trace");
  const open: OpenFrame[] = [{ wire: top, depth: 0, isUndone: false }];
  for (let index = 0; ; index++) {
    const frame = open.pop();
    if (frame === undefined) return { calls: found, error: readError(top.error) };
    const { wire, depth, isUndone } = frame;
    const type = TYPES.get(wire.type);
    if (depth > 0 && type !== undefined && isKept(type, wire)) found.push(readFrame(frame, type, index, reader));
    if (wire.calls === undefined || wire.calls === null) continue;
    const calls = readArray(wire.calls, "trace.calls");
    const isLost = isUndone || !NOTHING.has(wire.error);
    for (let at = calls.length - 1; at >= 0; at--) {
      open.push({ wire: readObject(calls[at], "trace.calls"), depth: depth + 1, isUndone: isLost });
    }
  }
}

function isKept(type: CallType, { value }: Wire): boolean {
  return (type !== "call" && type !== "callcode") || !NOTHING.has(value);
}

function readFrame({ wire, depth, isUndone }: OpenFrame, type: CallType, index: number, reader: WireReader) {
  const hasTo = wire.to !== undefined && wire.to !== null;
  if (!hasTo && (type === "call" || type === "callcode")) throw invalid("trace.to", wire.to, "an address");
  return {
    type,
    index,
    depth,
    from: reader.address(wire.from, "trace.from"),
    to: hasTo ? reader.address(wire.to, "trace.to") : null,
    value: NOTHING.has(wire.value) ? EMPTY : reader.uint(wire.value, "trace.value"),
    gas: readGas(wire.gas, "trace.gas"),
    gasUsed: readGas(wire.gasUsed, "trace.gasUsed"),
    error: readError(wire.error),
    isUndone,
  };
}

/** Some nodes leave it out of a self-destruction. */
export function readGas(value: unknown, field: string): number {
  return value === undefined || value === null ? 0 : readNumber(value, field);
}
