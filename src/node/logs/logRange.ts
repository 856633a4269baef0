import { toHex } from "../../chain/encoding/hex.ts";
import type { RpcError } from "../../jsonrpc/rpcError.ts";
import { numberOf } from "../blockIds.ts";
import type { Chain } from "../chain.ts";
import type { BlockNumberId } from "../params/blockParams.ts";
import { invalidParams } from "../params/params.ts";
import type { LogQuery } from "./logQuery.ts";

/** Which ranges of blocks a chain answers the logs of. */
export interface LogRanges {
  /** Whether a bound may be left open, and the whole chain asked for. */
  readonly unbounded: boolean;
  /** Whether a number above the head stands for the head. */
  readonly beyondHead: boolean;
}

/** Chains on which an unbounded range fails (specification, section 7). */
export const BOUNDED_CHAINS: ReadonlySet<number> = new Set([677, 968]);

/** Refuses a range with an open bound, and the whole chain, however short it is. */
export function expectBounded(query: LogQuery): void {
  const { blockHash, from, to } = query;
  if (blockHash !== undefined) return;
  if (from === undefined || to === undefined) throw refuse("eth_getLogs needs fromBlock and toBlock", query);
  const isWhole = isFirst(from) && "tag" in to && (to.tag === "latest" || to.tag === "pending");
  if (isWhole) throw refuse("eth_getLogs does not search the whole chain", query);
}

function isFirst(id: BlockNumberId): boolean {
  return "number" in id ? id.number === 0 : id.tag === "earliest";
}

/** The blocks to look at; none where all of them are still to come. */
export function rangeOf(chain: Chain, query: LogQuery, { beyondHead }: LogRanges): { from: number; to: number } {
  const head = chain.head.header.number;
  const [from, to] = [heightOf(chain, query.from), heightOf(chain, query.to)];
  if (from > to) throw invalidParams("invalid block range params");
  if (to > head && !beyondHead) throw invalidParams("block range extends beyond current head block");
  return { from, to: Math.min(to, head) };
}

export function heightOf(chain: Chain, id: BlockNumberId | undefined): number {
  if (id === undefined) return chain.head.header.number;
  return "number" in id ? id.number : numberOf(chain, id.tag);
}

export function tooManyLogs(most: number, query: LogQuery): RpcError {
  return refuse(`query returned more than ${most} results`, query);
}

export function tooManyBlocks(most: number, query: LogQuery): RpcError {
  return refuse(`query spans more than ${most} blocks`, query);
}

/** Names the explorer's call for the same logs, which answers in pages, where it has one. */
function refuse(reason: string, query: LogQuery): RpcError {
  const call = explorerCall(query);
  return invalidParams(`${reason}; ${call === undefined ? "narrow the range" : `narrow the range, or use ${call}`}`);
}

/** The module/action API takes one address and one value for each topic, and at least one of them. */
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
