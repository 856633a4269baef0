import { readIndexedRange } from "../indexedRange.ts";
import { viewMined } from "./transactionView.ts";
import { NO_LIST } from "../../store/list.ts";
import type { Context } from "../context.ts";
import { cacheable } from "../../api/http/responseCache.ts";
import type { Envelope } from "../../api/rest/envelope.ts";
import { presentList } from "../../api/rest/envelope.ts";
import { readOrdinalPage } from "../pages.ts";
import { TRANSACTION_FILTERS } from "../../api/rest/parameters.ts";
import type { Query } from "../../api/rest/params.ts";
import { parseChoice, parsePage } from "../../api/rest/params.ts";
import { presentListed, readSurroundings } from "./transactionSummaries.ts";

/** The indexed transactions, newest first. What waits is not listed. */
export async function serveTransactions(context: Context, query: Query, pageSize?: number): Promise<Envelope<object>> {
  const request = parsePage(query, pageSize);
  const filter = parseChoice(query, "filter", TRANSACTION_FILTERS);
  const { store } = context;
  const { placed, views, around } = await store.read(async (session) => {
    const range = await readIndexedRange(session);
    const isEmpty = range === undefined || filter === "pending";
    const list = isEmpty ? NO_LIST : session.transactions.all(range.first, range.tip);
    const { placed, positions } = await readOrdinalPage(list, range, request);
    const views = (await session.transactions.at(positions)).map(viewMined);
    return { placed, views, around: await readSurroundings(context, session, range, views) };
  });
  return cacheable("index", presentList(await presentListed(context, views, around), placed));
}
