import { quantity, toHex } from "../../chain/encoding/hex.ts";
import type { Wire } from "../../chain/encoding/wire.ts";
import { RPC, RpcError } from "../../jsonrpc/rpcError.ts";
import { itemAt } from "../../std/defined.ts";
import type { LoggedBlock } from "../block/stored.ts";
import { numberOf } from "../blockIds.ts";
import type { Chain } from "../chain.ts";
import type { BlockNumberId } from "../params/blockParams.ts";
import { invalidParams } from "../params/params.ts";
import { presentLog } from "../present/presentLog.ts";
import { locationOf } from "../present/presentTransaction.ts";
import { retryOnReorg } from "../retryOnReorg.ts";
import { Pace } from "../state/pace.ts";
import { LogFilter } from "./logFilter.ts";
import type { LogQuery } from "./logQuery.ts";

/** What one call may look through and answer. */
export const MOST_LOG_BLOCKS = 10_000;
export const MOST_LOGS = 10_000;

/** In milliseconds. */
const TIME = 10_000;

const INSTEAD = "use the explorer's module=logs&action=getLogs, which answers in pages";

/** The logs a query asks for. A bound that was left open is the head. */
export async function searchLogs(chain: Chain, query: LogQuery): Promise<Wire[]> {
  const filter = new LogFilter(query);
  if (query.blockHash !== undefined) {
    const block = chain.blockOf(query.blockHash);
    if (block === undefined) throw new RpcError(RPC.server, "unknown block");
    return logsOf(block, filter);
  }
  const pace = new Pace(TIME);
  return await retryOnReorg(chain, () => {
    const { from, to } = rangeOf(chain, query);
    return { to, work: () => collect(chain, filter, from, to, pace) };
  });
}

async function collect(chain: Chain, filter: LogFilter, from: number, to: number, pace: Pace): Promise<Wire[]> {
  const logs: Wire[] = [];
  for (const { number, bloom } of chain.database.blooms(from, to)) {
    if (!filter.mayMatch(bloom)) continue;
    const block = chain.logged(number);
    if (block !== undefined) logs.push(...logsOf(block, filter));
    if (logs.length > MOST_LOGS) {
      throw invalidParams(`query returned more than ${MOST_LOGS} results; narrow the range, or ${INSTEAD}`);
    }
    await pace.check();
  }
  return logs;
}

function rangeOf(chain: Chain, query: LogQuery): { from: number; to: number } {
  const head = chain.head.header.number;
  const [from, to] = [heightOf(chain, query.from), heightOf(chain, query.to)];
  if (from > to) throw invalidParams("invalid block range params");
  if (to - from >= MOST_LOG_BLOCKS) {
    throw invalidParams(`block range is larger than ${MOST_LOG_BLOCKS} blocks; narrow it, or ${INSTEAD}`);
  }
  if (to > head) throw invalidParams("block range extends beyond current head block");
  return { from, to };
}

export function heightOf(chain: Chain, id: BlockNumberId | undefined): number {
  if (id === undefined) return chain.head.header.number;
  return "number" in id ? id.number : numberOf(chain, id.tag);
}

/** The logs of a block that a filter lets through, presented. */
export function logsOf(block: LoggedBlock, filter: LogFilter): Wire[] {
  const location = locationOf(block);
  const logs: Wire[] = [];
  for (let index = 0; index < block.receipts.length; index++) {
    const matching = itemAt(block.receipts, index).logs.filter((log) => filter.matches(log));
    if (matching.length === 0) continue;
    const transactionHash = toHex(itemAt(block.transactions, index).hash);
    const logLocation = { ...location, transactionHash, transactionIndex: quantity(index) };
    for (const log of matching) logs.push(presentLog(log, logLocation));
  }
  return logs;
}
