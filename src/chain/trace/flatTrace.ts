import { EMPTY } from "../encoding/bytes.ts";
import type { Wire, WireReader } from "../encoding/wire.ts";
import { invalid, readArray, readObject } from "../encoding/wire.ts";
import { readGas } from "./callTrace.ts";
import type { CallType, InternalCall, TracedTransaction } from "./internalCall.ts";
import { readError } from "./traceError.ts";

/** Parses `trace_block` of one transaction: a flat list in which each call has its trace address. */
export function readFlatTrace(traces: readonly Wire[], reader: WireReader): TracedTransaction {
  const found: InternalCall[] = [];
  /** Depth of the outermost failed call that is still open. */
  let lost = Number.POSITIVE_INFINITY;
  for (const [index, trace] of traces.entries()) {
    const depth = readArray(trace.traceAddress, "trace.traceAddress").length;
    if (depth <= lost) lost = Number.POSITIVE_INFINITY;
    const error = readError(trace.error);
    if (depth > 0) {
      const call = readEntry(trace, reader);
      const isKept = call.value.length > 0 || (call.type !== "call" && call.type !== "callcode");
      if (isKept) found.push({ ...call, index, depth, error, isUndone: lost < depth });
    }
    if (error !== undefined && depth < lost) lost = depth;
  }
  return { calls: found, error: readError(traces[0]?.error) };
}

function readEntry(trace: Wire, reader: WireReader) {
  const action = readObject(trace.action, "trace.action");
  const result = trace.result === undefined || trace.result === null ? {} : readObject(trace.result, "trace.result");
  const [gas, gasUsed] = [readGas(action.gas, "trace.action.gas"), readGas(result.gasUsed, "trace.result.gasUsed")];
  if (trace.type === "suicide" || trace.type === "selfdestruct") {
    return {
      type: "selfdestruct" as const,
      from: reader.address(action.address, "trace.action.address"),
      to: reader.address(action.refundAddress, "trace.action.refundAddress"),
      value: reader.uint(action.balance, "trace.action.balance"),
      gas,
      gasUsed,
    };
  }
  const from = reader.address(action.from, "trace.action.from");
  if (trace.type === "create") {
    const address = result.address;
    const to = address === undefined || address === null ? null : reader.address(address, "trace.result.address");
    const type: CallType = action.creationMethod === "create2" ? "create2" : "create";
    return { type, from, to, value: reader.uint(action.value, "trace.action.value"), gas, gasUsed };
  }
  if (trace.type !== "call") throw invalid("trace.type", trace.type, "a call, a creation or a self-destruction");
  // These execute other code in the caller's context and move no value.
  const isBorrowed = action.callType === "delegatecall" || action.callType === "staticcall";
  return {
    type: action.callType === "callcode" ? ("callcode" as const) : ("call" as const),
    from,
    to: reader.address(action.to, "trace.action.to"),
    value: isBorrowed ? EMPTY : reader.uint(action.value, "trace.action.value"),
    gas,
    gasUsed,
  };
}
