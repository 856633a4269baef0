import type { Bytes } from "../../chain/encoding/bytes.ts";
import type { Position } from "../../store/rows/position.ts";
import type { ReadSession } from "../../store/session.ts";
import { readBlock } from "../blocks/block.ts";
import type { QueryContext } from "../context.ts";
import { readIndexedRange } from "../indexedRange.ts";
import type { ListWalk, Order } from "../listWalk.ts";
import { expectSameBlock, positionsAfter, walkPage } from "../listWalk.ts";
import type { PageRequest, WalkCursor, WalkInfo } from "../pages.ts";
import { readForwardPage } from "../pages.ts";
import { readInParts } from "../readInParts.ts";
import type { TimeSpan } from "../timeSpan.ts";
import { positionsIn } from "../timeSpan.ts";
import type { TransactionSelection } from "./selectTransactions.ts";
import { selectTransactions } from "./selectTransactions.ts";
import type { TransactionSort } from "./sortedTransactions.ts";
import { sortTransactions } from "./sortedTransactions.ts";
import type { Detail, TransactionPage } from "./transactionPages.ts";
import { readMined, summarisePage } from "./transactionPages.ts";
import type { TransactionType } from "./transactionTypes.ts";

/** Newest first. */
export function listTransactionsOf(
  context: QueryContext,
  selection: TransactionSelection,
  request: PageRequest<WalkCursor>,
): Promise<TransactionPage<WalkInfo>> {
  const isOfBlobs = selection.types?.every((type) => type === "blob_transaction") === true;
  return walkTransactions(context, selection, request, ({ transactions }, after, count) =>
    isOfBlobs ? transactions.namingBlobs(after, count) : transactions.below(after, count),
  );
}

/** In block order; undefined if the block is not indexed. */
export async function listBlockTransactionsOfTypes(
  context: QueryContext,
  id: number | Bytes,
  types: readonly TransactionType[],
  request: PageRequest<WalkCursor>,
): Promise<TransactionPage<WalkInfo> | undefined> {
  const block = await context.store.read((session) => readBlock(session, id));
  if (block === undefined) return undefined;
  const { number, hash } = block.header;
  return walkTransactions(
    context,
    { types },
    request,
    async (session, after, count) => {
      await expectSameBlock(session, number, request.cursor?.block ?? hash);
      return session.transactions.after(number, after, count);
    },
    { block: hash },
  );
}

/** By time. */
export function listAddressTransactionsOf(
  context: QueryContext,
  address: Bytes,
  selection: TransactionSelection,
  order: Order,
  request: PageRequest<WalkCursor>,
): Promise<TransactionPage<WalkInfo>> {
  return walkTransactions(context, selection, request, async ({ addresses }, after, count) => {
    return positionsAfter(await addresses.transactionsOf(address), order, after, count);
  });
}

/** Filtered transactions of an address, or of all, newest first. */
export async function listTransactionsIn(
  context: QueryContext,
  address: Bytes | undefined,
  { selection, span }: { readonly selection: TransactionSelection; readonly span: TimeSpan },
  request: PageRequest<WalkCursor>,
): Promise<TransactionPage<WalkInfo>> {
  const next: ListWalk["next"] = async (session, after, count) => {
    const { top, lowest } = await positionsIn(session, span);
    const below = after ?? top;
    const found =
      address === undefined
        ? await session.transactions.below(below, count)
        : await positionsAfter(await session.addresses.transactionsOf(address), "desc", below, count);
    return found.filter((position) => position >= lowest);
  };
  return walkTransactions(context, selection, request, next, { detail: "actions" });
}

/** Oldest first. */
export async function listOldestAddressTransactions(
  context: QueryContext,
  address: Bytes,
  request: PageRequest,
): Promise<TransactionPage> {
  const page = await context.store.read(async (session) => {
    const [range, list] = await Promise.all([readIndexedRange(session), session.addresses.transactionsOf(address)]);
    const { info, positions } = await readForwardPage(list, range, request);
    return { info, ...(await readMined(context, session, range, positions)) };
  });
  return summarisePage(context, page, "index");
}

/** By value or fee; undefined if there are too many to sort. */
export async function listSortedAddressTransactions(
  context: QueryContext,
  address: Bytes,
  selection: TransactionSelection,
  by: { readonly sort: TransactionSort; readonly order: Order },
  request: PageRequest,
): Promise<TransactionPage | undefined> {
  const page = await readInParts(context.store, Number.MAX_SAFE_INTEGER, async (parts) => {
    const sorted = await sortTransactions(parts, address, selection, by);
    if (sorted === undefined) return undefined;
    return parts.read(async (session) => {
      const range = await readIndexedRange(session);
      const list = {
        count: async () => sorted.length,
        slice: async (from: number, to: number) => sorted.slice(from, to),
      };
      const { info, positions } = await readForwardPage(list, range, request);
      return { info, ...(await readMined(context, session, range, positions)) };
    });
  });
  return page && summarisePage(context, page, "index");
}

async function walkTransactions(
  context: QueryContext,
  selection: TransactionSelection,
  request: PageRequest<WalkCursor>,
  next: ListWalk["next"],
  { block, detail }: { readonly block?: Bytes; readonly detail?: Detail } = {},
): Promise<TransactionPage<WalkInfo>> {
  const select = (session: ReadSession, positions: readonly Position[]) =>
    selectTransactions(session, positions, selection);
  const read = async (session: ReadSession, positions: readonly Position[]) =>
    readMined(context, session, await readIndexedRange(session), positions, detail);
  const { found, info } = await walkPage(context.store, { next, select, block }, request, read);
  return summarisePage(context, { info, ...found }, "index");
}
