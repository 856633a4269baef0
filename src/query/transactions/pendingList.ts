import { ChainError } from "../../chain/error.ts";
import type { QueryContext } from "../context.ts";
import { readIndexedRange } from "../indexedRange.ts";
import type { PageRequest } from "../pages.ts";
import { pageOfTransaction } from "../pages.ts";
import type { TransactionPage } from "./transactionPages.ts";
import { summarisePage } from "./transactionPages.ts";
import { loadRelated } from "./transactionSummaries.ts";
import type { TransactionType } from "./transactionTypes.ts";
import { typesOf } from "./transactionTypes.ts";
import type { TransactionView } from "./transactionView.ts";
import { addressesOf } from "./transactionView.ts";

export async function listPendingTransactions(
  context: QueryContext,
  types: readonly TransactionType[] | undefined,
  request: PageRequest,
): Promise<TransactionPage> {
  const pending = await context.node?.pending.list();
  if (pending === undefined) throw new ChainError("unsupported", "the node does not list its pending transactions");
  const page = await context.store.read(async (session) => {
    const views = pending.map((transaction): TransactionView => ({ transaction, outcome: undefined }));
    const addresses = types && (await session.addresses.infos(views.flatMap(addressesOf)));
    const wanted = views.filter((view) => {
      if (types === undefined || addresses === undefined) return true;
      return typesOf({ ...view, transferCount: undefined }, addresses).some((type) => types.includes(type));
    });
    const range = await readIndexedRange(session);
    const { info, window } = pageOfTransaction(wanted.length, range, request);
    return { info, ...(await loadRelated(session, range, wanted.slice(window.from, window.to))) };
  });
  return summarisePage(context, page, undefined);
}
