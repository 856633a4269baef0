import { EMPTY } from "../encoding/bytes.ts";
import type { Wire, WireReader } from "../encoding/wire.ts";
import { invalid, readArray, readNumber, readObject } from "../encoding/wire.ts";
import type { AnyCallType, CallType, InternalCall, TracedCall, TracedTransaction } from "./internalCall.ts";
import { readError } from "./traceError.ts";

const TYPES: ReadonlyMap<unknown, AnyCallType> = new Map<unknown, AnyCallType>([
  ["CALL", "call"],
  ["CALLCODE", "callcode"],
  ["CREATE", "create"],
  ["CREATE2", "create2"],
  ["SELFDESTRUCT", "selfdestruct"],
  ["DELEGATECALL", "delegatecall"],
  ["STATICCALL", "staticcall"],
]);

const NOTHING: ReadonlySet<unknown> = new Set([undefined, null, "0x0", "0x"]);

interface OpenFrame {
  readonly wire: Wire;
  readonly depth: number;
  readonly isUndone: boolean;
}

/** Parses geth's `callTracer` result. */
export function readCallTrace(trace: unknown, reader: WireReader): TracedTransaction {
  const top = readObject(trace, "trace");
  const calls: InternalCall[] = [];
  for (const [frame, type, index] of framesIn(top)) {
    if (isKept(type, frame.wire)) calls.push({ ...readFrame(frame, type, index, reader), type });
  }
  return { calls, error: readError(top.error) };
}

/** Like `readCallTrace`, with calls of every type. */
export function readAllCalls(trace: unknown, reader: WireReader): TracedCall[] {
  return [...framesIn(readObject(trace, "trace"))].map(([frame, type, index]) => readFrame(frame, type, index, reader));
}

/** Nested calls in preorder. Iterative, since the tree may be deep. */
function* framesIn(top: Wire): Generator<[frame: OpenFrame, type: AnyCallType, index: number]> {
  const open: OpenFrame[] = [{ wire: top, depth: 0, isUndone: false }];
  for (let index = 0; ; index++) {
    const frame = open.pop();
    if (frame === undefined) return;
    const { wire, depth, isUndone } = frame;
    const type = TYPES.get(wire.type);
    if (depth > 0 && type !== undefined) yield [frame, type, index];
    if (wire.calls === undefined || wire.calls === null) continue;
    const calls = readArray(wire.calls, "trace.calls");
    const isLost = isUndone || !NOTHING.has(wire.error);
    for (let at = calls.length - 1; at >= 0; at--) {
      open.push({ wire: readObject(calls[at], "trace.calls"), depth: depth + 1, isUndone: isLost });
    }
  }
}

function isKept(type: AnyCallType, { value }: Wire): type is CallType {
  if (type === "delegatecall" || type === "staticcall") return false;
  return (type !== "call" && type !== "callcode") || !NOTHING.has(value);
}

/** These execute other code in the caller's context and move no value, whatever the frame says. */
const MOVES_NOTHING: readonly AnyCallType[] = ["delegatecall", "staticcall"];
const HAS_NO_TARGET: readonly AnyCallType[] = ["create", "create2", "selfdestruct"];

function readFrame({ wire, depth, isUndone }: OpenFrame, type: AnyCallType, index: number, reader: WireReader) {
  const hasTo = wire.to !== undefined && wire.to !== null;
  if (!hasTo && !HAS_NO_TARGET.includes(type)) throw invalid("trace.to", wire.to, "an address");
  return {
    type,
    index,
    depth,
    from: reader.address(wire.from, "trace.from"),
    to: hasTo ? reader.address(wire.to, "trace.to") : null,
    value: NOTHING.has(wire.value) || MOVES_NOTHING.includes(type) ? EMPTY : reader.uint(wire.value, "trace.value"),
    gas: readGas(wire.gas, "trace.gas"),
    gasUsed: readGas(wire.gasUsed, "trace.gasUsed"),
    error: readError(wire.error),
    isUndone,
  };
}

/** Some nodes omit it for self-destructs. */
export function readGas(value: unknown, field: string): number {
  return value === undefined || value === null ? 0 : readNumber(value, field);
}
