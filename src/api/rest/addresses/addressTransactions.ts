import { readIndexedRange } from "../../../query/indexedRange.ts";
import { viewMined } from "../../../query/transactions/transactionView.ts";
import type { Context } from "../../../query/context.ts";
import { cacheable } from "../../http/responseCache.ts";
import { presentList } from "../envelope.ts";
import { readOrdinalPage } from "../../../query/pages.ts";
import type { Query } from "../params.ts";
import { parseAddress, parsePage } from "../params.ts";
import { presentListed, readSurroundings } from "../../../query/transactions/transactionSummaries.ts";

/** The transactions sent by, sent to or creating an address, newest first (specification, section 4.1). */
export async function serveAddressTransactions(context: Context, text: string, query: Query): Promise<object> {
  const address = parseAddress(text);
  const request = parsePage(query);
  const { store } = context;
  const { placed, views, around } = await store.read(async (session) => {
    const range = await readIndexedRange(session);
    const id = (await session.addresses.id(address)) ?? NOBODY;
    const { placed, positions } = await readOrdinalPage(session.addresses.transactions(id), range, request);
    const views = (await session.transactions.at(positions)).map(viewMined);
    return { placed, views, around: await readSurroundings(context, session, range, views) };
  });
  return cacheable("index", presentList(await presentListed(context, views, around), placed));
}

/** Ids begin at 1: the lists of this one are empty. */
const NOBODY = 0;
