import { locationOf } from "../chain/block/json.ts";
import type { Bytes } from "../chain/encoding/bytes.ts";
import { quantity, toHex } from "../chain/encoding/hex.ts";
import { ChainError } from "../chain/error.ts";
import { JsonText } from "../jsonrpc/envelope.ts";
import { RpcError } from "../jsonrpc/rpcError.ts";
import type { LogQuery } from "../node/logs/logQuery.ts";
import { logQueryParam } from "../node/logs/logQuery.ts";
import type { LogBounds, LogMethod } from "../node/logs/logRange.ts";
import { expectBounded, expectFewBlocks, tooManyLogs } from "../node/logs/logRange.ts";
import type { BlockNumberId } from "../node/params/blockParams.ts";
import { expectAtMost } from "../node/params/params.ts";
import { Turn } from "../std/async.ts";
import { isObject } from "../std/values.ts";
import type { FoundLog } from "../store/read/foundLog.ts";
import { logOf, transactionHashOf } from "../store/read/foundLog.ts";
import type { StoreReader } from "../store/storeReader.ts";
import type { BlockRange } from "./findRangeLogs.ts";
import { findRangeLogs } from "./findRangeLogs.ts";
import type { GatewayRecord } from "./records.ts";
import { isPartial, logRecord } from "./records.ts";
import type { ResponseShapes } from "./responseShapes.ts";

export const MAX_LOGS = 10_000;

/** Logs serialized between yields. */
const LOG_BATCH_SIZE = 500;

interface LogSource {
  readonly store: StoreReader;
  readonly shapes: ResponseShapes;
  readonly bounds: LogBounds;
  canonical(): Promise<number>;
  pass(method: string, params: readonly unknown[]): Promise<JsonText>;
}

/** A log query, or that of a filter. */
export interface LogRequest {
  readonly method: LogMethod;
  readonly params: readonly unknown[];
  passOn(): Promise<JsonText>;
}

/** Answers from the index if it covers the range, else from the node. */
export async function getLogs(source: LogSource, { method, params, passOn }: LogRequest): Promise<JsonText> {
  const query = readQuery(params);
  if (query === undefined) return passOn();
  expectBounded(query, method, source.bounds);
  const range = await rangeOf(source, query);
  // The range limit also applies to forms that only some nodes accept.
  if (range === undefined || hasJsonNumber(params[0])) return passOn();
  const logs = await search(source, query, range);
  return (await present(source, logs)) ?? passOn();
}

/** Invalid parameters are left to the node to reject. */
function readQuery(params: readonly unknown[]): LogQuery | undefined {
  try {
    expectAtMost(params, 1);
    return logQueryParam(params);
  } catch (error) {
    if (error instanceof RpcError) return undefined;
    throw error;
  }
}

function hasJsonNumber(filter: unknown): boolean {
  return isObject(filter) && (typeof filter.fromBlock === "number" || typeof filter.toBlock === "number");
}

/** Undefined unless the index covers the range on the node's branch. */
async function rangeOf(source: LogSource, query: LogQuery): Promise<BlockRange | undefined> {
  const { blockHash } = query;
  if (blockHash !== undefined) return blockOf(source, blockHash);
  const [from, to] = [await heightOf(source, query.from), await heightOf(source, query.to)];
  if (from === undefined || to === undefined || from > to) return undefined;
  expectFewBlocks(from, to, query, source.bounds);
  const { first, tip } = await source.store.read(async ({ blocks }) => ({
    first: await blocks.first(),
    tip: await blocks.tip(),
  }));
  const isIndexed = first !== undefined && tip !== undefined && first.header.number <= from && to <= tip.number;
  return isIndexed && to <= (await source.canonical()) ? { from, to } : undefined;
}

async function blockOf({ store, canonical }: LogSource, hash: Bytes): Promise<BlockRange | undefined> {
  const read = () => store.read(({ blocks }) => blocks.byHash(hash));
  if ((await read()) === undefined) return undefined;
  const height = await canonical();
  const number = (await read())?.header.number;
  return number !== undefined && number <= height ? { from: number, to: number } : undefined;
}

/** Tags are resolved by the node. */
async function heightOf({ pass }: LogSource, id: BlockNumberId | undefined): Promise<number | undefined> {
  if (id !== undefined && "number" in id) return id.number;
  if (id?.tag === "earliest") return 0;
  const isHead = id === undefined || id.tag === "latest" || id.tag === "pending";
  const { text } = await (isHead ? pass("eth_blockNumber", []) : pass("eth_getBlockByNumber", [id.tag, false]));
  const answered = JSON.parse(text) as string | { number?: string } | null;
  const height = Number(typeof answered === "string" ? answered : answered?.number);
  return Number.isSafeInteger(height) ? height : undefined;
}

async function search({ store }: LogSource, query: LogQuery, range: BlockRange): Promise<FoundLog[]> {
  try {
    const logs = await findRangeLogs(store, query, range, MAX_LOGS);
    if (logs.length > MAX_LOGS) throw tooManyLogs(MAX_LOGS, query);
    return logs;
  } catch (error) {
    if (error instanceof ChainError && error.code === "limit_exceeded") throw tooManyLogs(MAX_LOGS, query);
    throw error;
  }
}

/** Undefined if the node's format cannot be reproduced. */
async function present(source: LogSource, logs: readonly FoundLog[]): Promise<JsonText | undefined> {
  const [first] = logs;
  if (first === undefined) return new JsonText("[]");
  const { shapes } = source;
  if (shapes.present(recordOf(first)) === undefined) await learn(source, first);
  if (shapes.isForeign(recordOf(first))) return undefined;
  const turn = new Turn();
  const parts: string[] = [];
  for (let at = 0; at < logs.length; at += LOG_BATCH_SIZE) {
    const records = logs.slice(at, at + LOG_BATCH_SIZE).map(recordOf);
    if (records.some(isPartial)) return undefined;
    const shown = shapes.presentEach(records) ?? records.map((record) => shapes.presentAsGeth(record));
    parts.push(JSON.stringify(shown).slice(1, -1));
    await turn.yieldToEventLoop();
  }
  return new JsonText(`[${parts.join(",")}]`);
}

/** Fetches one log from the node to learn its shape. */
async function learn({ shapes, pass }: LogSource, log: FoundLog): Promise<void> {
  try {
    const filter = { blockHash: toHex(log.context.block.hash), address: toHex(logOf(log).address) };
    const shown = JSON.parse((await pass("eth_getLogs", [filter])).text) as { logIndex: string }[];
    const same = shown.find(({ logIndex }) => logIndex === quantity(log.logIndex));
    if (same !== undefined) shapes.observe(recordOf(log), same);
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
  }
}

function recordOf(log: FoundLog): GatewayRecord {
  const place = {
    transactionHash: toHex(transactionHashOf(log)),
    transactionIndex: quantity(log.context.transactionIndex),
  };
  return logRecord(logOf(log), { ...locationOf(log.context.block), ...place });
}
