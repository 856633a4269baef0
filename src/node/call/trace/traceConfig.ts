import type { Wire } from "../../../chain/encoding/wire.ts";
import { RPC, RpcError } from "../../../jsonrpc/rpcError.ts";
import { defined } from "../../../std/values.ts";
import type { ParamPath } from "../../params/params.ts";
import { cannotUnmarshal, readFlag, readObject, readText } from "../../params/params.ts";
import { CallTracer } from "./callTracer.ts";
import { FlatCallTracer } from "./flatCallTracer.ts";
import { FourByteTracer } from "./fourByteTracer.ts";
import { MuxTracer } from "./muxTracer.ts";
import { PrestateTracer } from "./prestateTracer.ts";
import { StructLogger } from "./structLogger.ts";
import type { Tracer } from "./tracer.ts";

export interface TraceConfig {
  readonly milliseconds: number;
  /** Factory, called per transaction. */
  readonly tracer: () => Tracer;
  readonly wire: Wire;
}

const DEFAULT_MILLISECONDS = 5000;
const MAX_MILLISECONDS = 60_000;

export function readTraceConfig(value: unknown, argument: number, chainId: number): TraceConfig {
  const wire = readObject(value ?? {}, { argument }, "tracers.TraceConfig");
  const options = readOptions(wire, { argument, field: "TraceConfig" });
  const tracer = makerOf(options.text("tracer"), wire, argument, chainId);
  // Reports invalid options before anything runs.
  tracer();
  return { milliseconds: readTimeout(options.text("timeout")), tracer, wire };
}

function makerOf(name: string | undefined, wire: Wire, argument: number, chainId: number): () => Tracer {
  if (name === undefined || name === "") return () => structLogger(wire, argument);
  const inner = readObject(wire.tracerConfig ?? {}, { argument, field: "TraceConfig.tracerConfig" }, "json.RawMessage");
  const options = readOptions(inner, { argument, field: "tracerConfig" });
  switch (name) {
    case "callTracer":
      return () => new CallTracer({ onlyTopCall: options.flag("onlyTopCall"), withLog: options.flag("withLog") });
    case "flatCallTracer":
      return () =>
        new FlatCallTracer({
          includePrecompiles: options.flag("includePrecompiles"),
          convertParityErrors: options.flag("convertParityErrors"),
        });
    case "prestateTracer":
      return () =>
        new PrestateTracer({
          diffMode: options.flag("diffMode"),
          disableCode: options.flag("disableCode"),
          disableStorage: options.flag("disableStorage"),
          includeEmpty: options.flag("includeEmpty"),
          chainId: BigInt(chainId),
        });
    case "4byteTracer":
      return () => new FourByteTracer();
    case "noopTracer":
      return () => ({ result: () => ({}) });
    case "muxTracer":
      return () => muxTracer(inner, argument, chainId);
    default:
      throw new RpcError(RPC.server, `tracer not found: ${name.slice(0, 80)}`);
  }
}

function muxTracer(config: Wire, argument: number, chainId: number): MuxTracer {
  const tracers = Object.entries(config).map(([name, tracerConfig]): [string, Tracer] => {
    if (name === "muxTracer") throw new RpcError(RPC.server, "muxTracer cannot hold another muxTracer");
    return [name, makerOf(name, { tracerConfig }, argument, chainId)()];
  });
  return new MuxTracer(tracers);
}

function structLogger(wire: Wire, argument: number): StructLogger {
  const options = readOptions(wire, { argument, field: "TraceConfig" });
  const { limit = 0 } = wire;
  if (typeof limit !== "number") throw cannotUnmarshal({ argument, field: "TraceConfig.limit" }, typeof limit, "int");
  return new StructLogger({
    enableMemory: options.flag("enableMemory"),
    disableStack: options.flag("disableStack"),
    disableStorage: options.flag("disableStorage"),
    enableReturnData: options.flag("enableReturnData"),
    limit,
  });
}

function readOptions(wire: Wire, { argument, field }: ParamPath) {
  const given = (key: string) => (wire[key] === null ? undefined : wire[key]);
  return {
    flag: (key: string) => {
      const value = given(key);
      return value === undefined ? false : readFlag(value, { argument, field: `${field}.${key}` });
    },
    text: (key: string) => {
      const value = given(key);
      return value === undefined ? undefined : readText(value, { argument, field: `${field}.${key}` });
    },
  };
}

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** Go duration, such as `10s` or `1m30s`; at most a minute. */
function readTimeout(text: string | undefined): number {
  if (text === undefined) return DEFAULT_MILLISECONDS;
  if (!/^(\d{1,9}(\.\d{1,9})?(ms|s|m|h))+$/.test(text)) {
    throw new RpcError(RPC.server, `time: invalid duration ${JSON.stringify(text.slice(0, 80))}`);
  }
  let milliseconds = 0;
  for (const [, count, unit] of text.matchAll(/([\d.]+)(ms|s|m|h)/g))
    milliseconds += Number(count) * defined(UNITS[defined(unit)]);
  return Math.min(milliseconds, MAX_MILLISECONDS);
}
