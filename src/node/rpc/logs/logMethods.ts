import { RPC, RpcError } from "../../../jsonrpc/rpcError.ts";
import { logQueryParam } from "../../logs/logQuery.ts";
import { expectBounded } from "../../logs/logRange.ts";
import { searchLogs } from "../../logs/searchLogs.ts";
import { expectAtMost, invalidParams, textParam } from "../../params/params.ts";
import type { Methods } from "../methods.ts";

export const logMethods: Methods = {
  eth_getLogs: ({ chain, logRanges }, params) => {
    expectAtMost(params, 1);
    const query = logQueryParam(params);
    expectBounded(query, "eth_getLogs", logRanges);
    return searchLogs(chain, query, logRanges);
  },
  eth_newFilter: ({ filters }, params) => {
    expectAtMost(params, 1);
    const query = logQueryParam(params);
    const { from, to } = query;
    if (from !== undefined && to !== undefined && "number" in from && "number" in to && from.number > to.number) {
      throw invalidParams("invalid block range params");
    }
    return filters.add("logs", query);
  },
  eth_newBlockFilter: ({ filters }) => filters.add("blocks"),
  eth_newPendingTransactionFilter: ({ filters }) => filters.add("transactions"),
  eth_getFilterChanges: ({ filters }, params) => {
    expectAtMost(params, 1);
    return filters.changes(textParam(params, 0)) ?? notFound();
  },
  eth_getFilterLogs: ({ chain, filters, logRanges }, params) => {
    expectAtMost(params, 1);
    const query = filters.queryOf(textParam(params, 0)) ?? notFound();
    expectBounded(query, "eth_getFilterLogs", logRanges);
    return searchLogs(chain, query, logRanges);
  },
  eth_uninstallFilter: ({ filters }, params) => {
    expectAtMost(params, 1);
    return filters.remove(textParam(params, 0));
  },
};

function notFound(): never {
  throw new RpcError(RPC.server, "filter not found");
}
