import type { Bytes } from "../../chain/encoding/bytes.ts";
import { ChainError } from "../../chain/error.ts";
import { withTimeout } from "../../std/async.ts";
import type { MinedTransaction } from "../../store/read/transactions.ts";
import type { QueryContext } from "../context.ts";
import { readIndexedRange } from "../indexedRange.ts";
import type { PageInfo, PageRequest } from "../pages.ts";
import { pageInBlock } from "../pages.ts";
import type { InternalPage, ListedCall } from "./internalTransactions.ts";
import { listTransactionInternalTransactions, pageOf } from "./internalTransactions.ts";

type CallPage = InternalPage<PageInfo, ListedCall>;

/** Milliseconds to wait for a trace before answering from the index. */
const TIMEOUT = 5000;

/** All calls in preorder, from the node; falls back to the stored subset. Undefined if the transaction is unknown. */
export async function listTransactionCalls(
  context: QueryContext,
  hash: Bytes,
  request: PageRequest<Bytes>,
): Promise<CallPage | undefined> {
  const found = await context.store.read(async (session) => ({
    mined: await session.transactions.byHash(hash),
    range: await readIndexedRange(session),
  }));
  const calls = found.mined && (await traceAll(context, found.mined));
  if (found.mined === undefined || calls === undefined) {
    return listTransactionInternalTransactions(context, hash, request);
  }
  const { header } = found.mined.block;
  // Immutable for a transaction in a block.
  return { ...(await pageOf(context, { header, range: found.range }, calls, request)), scope: "index" };
}

/** Empty for an unknown transaction. */
export async function findTransactionCalls(
  context: QueryContext,
  hash: Bytes,
  request: PageRequest<Bytes>,
): Promise<CallPage> {
  const page = await listTransactionCalls(context, hash, request);
  if (page !== undefined) return page;
  return context.store.read(async (session) => {
    const { info } = pageInBlock(0, await readIndexedRange(session), request, undefined);
    return { info, calls: [], addresses: await session.addresses.infos([]), scope: undefined };
  });
}

/** Undefined if the node does not trace in time. */
async function traceAll({ node }: QueryContext, mined: MinedTransaction): Promise<ListedCall[] | undefined> {
  if (node === undefined) return undefined;
  const { transaction, block } = mined;
  try {
    const asked = node.transactionTraces.allCalls(transaction.hash, block.header.hash);
    const calls = await withTimeout(asked, TIMEOUT, () => undefined);
    return calls?.map((call) => ({ ...call, mined }));
  } catch (error) {
    if (!(error instanceof ChainError)) throw error;
    return undefined;
  }
}
