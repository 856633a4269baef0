import { locationOf, logJson } from "../../chain/block/json.ts";
import { quantity, toHex } from "../../chain/encoding/hex.ts";
import type { Wire } from "../../chain/encoding/wire.ts";
import { RPC, RpcError } from "../../jsonrpc/rpcError.ts";
import { itemAt } from "../../std/values.ts";
import type { LoggedBlock } from "../block/loggedBlock.ts";
import type { Chain } from "../chain.ts";
import { RANGE } from "../rangeBlooms.ts";
import { retryOnReorg } from "../retryOnReorg.ts";
import { Pace, READ_TIME } from "../state/pace.ts";
import { LogFilter } from "./logFilter.ts";
import type { LogQuery } from "./logQuery.ts";
import type { LogRanges } from "./logRange.ts";
import { rangeOf, tooManyLogs } from "./logRange.ts";

export const MAX_LOGS = 10_000;

/** A missing bound is the head. */
export async function searchLogs(chain: Chain, query: LogQuery, ranges: LogRanges): Promise<Wire[]> {
  const filter = new LogFilter(query);
  if (query.blockHash !== undefined) {
    const block = chain.blockOf(query.blockHash);
    if (block === undefined) throw new RpcError(RPC.server, "unknown block");
    return logsOf(block, filter);
  }
  const pace = new Pace(READ_TIME);
  return await retryOnReorg(chain, () => {
    const { from, to } = rangeOf(chain, query, ranges);
    return { to, work: () => collect(chain, { query, filter, pace }, from, to) };
  });
}

interface Search {
  readonly query: LogQuery;
  readonly filter: LogFilter;
  readonly pace: Pace;
}

async function collect(chain: Chain, { query, filter, pace }: Search, from: number, to: number): Promise<Wire[]> {
  const logs: Wire[] = [];
  for (let start = from - (from % RANGE); start <= to; start += RANGE) {
    await pace.check();
    const whole = chain.rangeBlooms.of(start);
    if (whole !== undefined && !filter.mayMatch(whole)) continue;
    const [first, last] = [Math.max(from, start), Math.min(to, start + RANGE - 1)];
    for (const { number, bloom } of chain.blooms(first, last)) {
      if (!filter.mayMatch(bloom)) continue;
      const block = chain.logged(number);
      if (block !== undefined) logs.push(...logsOf(block, filter));
      if (logs.length > MAX_LOGS) throw tooManyLogs(MAX_LOGS, query);
      await pace.check();
    }
  }
  return logs;
}

export function logsOf(block: LoggedBlock, filter: LogFilter): Wire[] {
  const location = locationOf(block.header);
  const logs: Wire[] = [];
  for (let index = 0; index < block.receipts.length; index++) {
    const matching = itemAt(block.receipts, index).logs.filter((log) => filter.matches(log));
    if (matching.length === 0) continue;
    const transactionHash = toHex(itemAt(block.transactions, index).hash);
    const logLocation = { ...location, transactionHash, transactionIndex: quantity(index) };
    for (const log of matching) logs.push(logJson(log, logLocation));
  }
  return logs;
}
