import { toHex } from "../../chain/encoding/hex.ts";
import type { RpcError } from "../../jsonrpc/rpcError.ts";
import { numberOf } from "../blockIds.ts";
import type { Chain } from "../chain.ts";
import type { BlockNumberId } from "../params/blockParams.ts";
import { invalidParams } from "../params/params.ts";
import type { LogQuery } from "./logQuery.ts";

export const MAX_LOG_BLOCKS = 10_000;

export interface LogBounds {
  /** Infinity for any range. */
  readonly maxBlocks: number;
  /** Whether bounds may be omitted. */
  readonly unbounded: boolean;
}

/** Chains on which an unbounded range fails (specification, section 7). */
export const BOUNDED_CHAINS: ReadonlySet<number> = new Set([677, 968]);

export function logBoundsOf(chainId: number, isAnyAllowed: boolean): LogBounds {
  if (isAnyAllowed) return { maxBlocks: Number.POSITIVE_INFINITY, unbounded: true };
  return { maxBlocks: MAX_LOG_BLOCKS, unbounded: !BOUNDED_CHAINS.has(chainId) };
}

export interface LogRanges extends LogBounds {
  /** Whether a number above the head means the head. */
  readonly beyondHead: boolean;
}

/** A filter without bounds covers future blocks, so it starts at the head. */
export type LogMethod = "eth_getLogs" | "eth_getFilterLogs";

/** Rejects a query without bounds, and one over the whole chain. One missing bound is the head. */
export function expectBounded(query: LogQuery, method: LogMethod, { unbounded }: LogBounds): void {
  const { blockHash, from, to } = query;
  if (unbounded || blockHash !== undefined) return;
  if (method === "eth_getLogs" && from === undefined && to === undefined) {
    throw refuse(`${method} needs fromBlock and toBlock`, query);
  }
  if (isFirst(from) && isHead(to))
    throw refuse(`${method} does not search the whole chain, which filters without a range do by default`, query);
}

function isFirst(id: BlockNumberId | undefined): boolean {
  return id !== undefined && ("number" in id ? id.number === 0 : id.tag === "earliest");
}

function isHead(id: BlockNumberId | undefined): boolean {
  return id === undefined || ("tag" in id && (id.tag === "latest" || id.tag === "pending"));
}

/** Blocks above the head count too. */
export function expectFewBlocks(from: number, to: number, query: LogQuery, { maxBlocks }: LogBounds): void {
  if (to - from >= maxBlocks) throw refuse(`exceed maximum block range: ${maxBlocks}`, query);
}

/** Undefined if all blocks are in the future. */
export function rangeOf(chain: Chain, query: LogQuery, ranges: LogRanges): { from: number; to: number } {
  const head = chain.head.header.number;
  const [from, to] = [heightOf(chain, query.from), heightOf(chain, query.to)];
  if (from > to) throw invalidParams("invalid block range params");
  if (to > head && !ranges.beyondHead) throw invalidParams("block range extends beyond current head block");
  expectFewBlocks(from, to, query, ranges);
  return { from, to: Math.min(to, head) };
}

export function heightOf(chain: Chain, id: BlockNumberId | undefined): number {
  if (id === undefined) return chain.head.header.number;
  return "number" in id ? id.number : numberOf(chain, id.tag);
}

export function tooManyLogs(limit: number, query: LogQuery): RpcError {
  const call = explorerCall(query);
  const advice = call === undefined ? "narrow the range" : `narrow the range, or use ${call}`;
  return invalidParams(`query returned more than ${limit} results; ${advice}`);
}

/** Libraries request all blocks by default, and their users do not know of bounds. */
const EXAMPLE = `{"fromBlock":"0x1","toBlock":"0x${MAX_LOG_BLOCKS.toString(16)}"}`;

/** The message says what to change, and names the equivalent paged call of the explorer API. */
function refuse(reason: string, query: LogQuery): RpcError {
  const call = explorerCall(query);
  const ways = [`pass at most ${MAX_LOG_BLOCKS} blocks, as in ${EXAMPLE}`, "start oriel with --unbounded-logs"];
  return invalidParams(`${reason}; ${[...ways, ...(call === undefined ? [] : [`use ${call}`])].join(", or ")}`);
}

/** Undefined unless there is one address or one value per topic, as the module/action API requires. */
function explorerCall({ addresses, topics, from, to }: LogQuery): string | undefined {
  const isPlain = addresses.length <= 1 && topics.every((values) => values.length <= 1);
  const given = topics.flatMap((values, index) => values.map((value) => ({ index, value })));
  if (!isPlain || addresses.length + given.length === 0) return undefined;
  const operators = given.flatMap(({ index }, at) =>
    given.slice(at + 1).map((other) => `topic${index}_${other.index}_opr=and`),
  );
  const parameters = [
    `fromBlock=${from !== undefined && "number" in from ? from.number : 0}`,
    `toBlock=${to !== undefined && "number" in to ? to.number : "latest"}`,
    ...addresses.map((address) => `address=${toHex(address)}`),
    ...given.map(({ index, value }) => `topic${index}=${toHex(value)}`),
    ...operators,
  ];
  return `/api?module=logs&action=getLogs&${parameters.join("&")}`;
}
