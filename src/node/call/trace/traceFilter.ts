import type { Hex } from "../../../chain/encoding/hex.ts";
import { toHex } from "../../../chain/encoding/hex.ts";
import type { Wire } from "../../../chain/encoding/wire.ts";
import type { Chain } from "../../chain.ts";
import { heightOf, type LogRanges } from "../../logs/logRange.ts";
import type { BlockNumberId } from "../../params/blockParams.ts";
import { readBlockNumber } from "../../params/blockParams.ts";
import { invalidArgument, invalidParams, readAddress, readArray, readObject } from "../../params/params.ts";
import { Pace, READ_TIME } from "../../state/pace.ts";
import type { ParityTrace } from "./parityTraces.ts";
import { tracesOfBlock } from "./parityTraces.ts";

export const MAX_TRACES = 10_000;

export interface TraceQuery {
  readonly from: BlockNumberId | undefined;
  readonly to: BlockNumberId | undefined;
  /** Empty for any. */
  readonly senders: ReadonlySet<Hex>;
  readonly receivers: ReadonlySet<Hex>;
  /** Whether a trace must have both a sender and a receiver of those given. */
  readonly needsBoth: boolean;
  readonly after: number;
  /** Undefined for all. */
  readonly count: number | undefined;
}

export function readTraceQuery(value: unknown): TraceQuery {
  const wire = readObject(value, { argument: 0 }, "TraceFilterRequest");
  const { fromBlock, toBlock, mode = "union" } = wire;
  if (mode !== "union" && mode !== "intersection") throw invalidArgument(0, "mode is union or intersection");
  return {
    from: isGiven(fromBlock) ? readBlockNumber(fromBlock, 0) : undefined,
    to: isGiven(toBlock) ? readBlockNumber(toBlock, 0) : undefined,
    senders: readAddresses(wire, "fromAddress"),
    receivers: readAddresses(wire, "toAddress"),
    needsBoth: mode === "intersection",
    after: readCount(wire, "after") ?? 0,
    count: readCount(wire, "count"),
  };
}

const isGiven = (value: unknown) => value !== undefined && value !== null;

function readAddresses(wire: Wire, field: string): ReadonlySet<Hex> {
  if (!isGiven(wire[field])) return new Set();
  const list = readArray(wire[field], { argument: 0, field }, "[]common.Address");
  return new Set(list.map((each) => toHex(readAddress(each, { argument: 0, field }))));
}

function readCount(wire: Wire, field: string): number | undefined {
  const value = wire[field];
  if (!isGiven(value)) return undefined;
  if (typeof value !== "number" || !Number.isSafeInteger(value) || value < 0) {
    throw invalidArgument(0, `${field} is a number`);
  }
  return value;
}

/** The range and the number of results are bounded as those of `eth_getLogs`, and the time is. */
export async function filterTraces(chain: Chain, query: TraceQuery, ranges: LogRanges): Promise<ParityTrace[]> {
  const [from, end] = [heightOf(chain, query.from), heightOf(chain, query.to)];
  const to = Math.min(end, chain.head.header.number);
  // Blocks above the head count too.
  if (end - from >= ranges.maxBlocks) throw invalidParams(`exceed maximum block range: ${ranges.maxBlocks}`);
  const pace = await Pace.begin(READ_TIME);
  const found: ParityTrace[] = [];
  const last = query.after + (query.count ?? Number.POSITIVE_INFINITY);
  for (let number = from; number <= to && found.length < last; number++) {
    await pace.check();
    const block = chain.expectBlock(number);
    if (block.transactions.length === 0) continue;
    for (const trace of await tracesOfBlock(chain, block)) if (isWanted(trace, query)) found.push(trace);
    if (found.length > MAX_TRACES) {
      throw invalidParams(`query returned more than ${MAX_TRACES} results; narrow the range`);
    }
  }
  return found.slice(query.after, last);
}

function isWanted({ action, result }: ParityTrace, { senders, receivers, needsBoth }: TraceQuery): boolean {
  if (senders.size === 0 && receivers.size === 0) return true;
  const isFrom = senders.has((action.from ?? action.address) as Hex);
  const isTo = receivers.has((action.to ?? action.refundAddress ?? result?.address) as Hex);
  if (!needsBoth) return isFrom || isTo;
  return (senders.size === 0 || isFrom) && (receivers.size === 0 || isTo);
}
