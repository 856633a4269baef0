import type { Block } from "../../chain/block/block.ts";
import type { Bytes } from "../../chain/encoding/bytes.ts";
import type { AddressInfos } from "../../store/read/addressInfos.ts";
import type { ReadSession } from "../../store/session.ts";
import type { KnownToken } from "../../store/stages/tokens/read/tokenReads.ts";
import type { OrdinalList } from "../../store/tables/list.ts";
import { NO_LIST } from "../../store/tables/list.ts";
import { logsInRow, readActions } from "../actions/readActions.ts";
import { describedActions } from "../actions/sentence.ts";
import { askForBlock, readBlock } from "../blocks/block.ts";
import type { CacheScope } from "../cacheScope.ts";
import type { QueryContext } from "../context.ts";
import type { IndexedRange, KnownHeight } from "../indexedRange.ts";
import { confirmationsAtNode, contains, knownHeight, readIndexedRange } from "../indexedRange.ts";
import type { PageInfo, PageRequest, PageWindow, WalkInfo } from "../pages.ts";
import { pageInBlock, readListPage } from "../pages.ts";
import { MAX_LISTED_INPUT } from "./listedInputs.ts";
import type { ReadTransactions, TransactionSummary } from "./transactionSummaries.ts";
import { loadRelated, summarise } from "./transactionSummaries.ts";
import type { TransactionView } from "./transactionView.ts";
import { viewMined } from "./transactionView.ts";

export interface TransactionPage<I extends PageInfo | WalkInfo = PageInfo> {
  readonly transactions: readonly TransactionSummary[];
  readonly addresses: AddressInfos;
  readonly info: I;
  readonly scope: CacheScope | undefined;
  /** Tokens in actions whose symbol another token with more holders has. */
  readonly copies: ReadonlySet<KnownToken>;
}

/** Whether to read what the transactions did. */
export type Detail = "actions" | undefined;

export function listTransactions(
  context: QueryContext,
  request: PageRequest,
  detail?: Detail,
): Promise<TransactionPage> {
  const find = async ({ transactions }: ReadSession, indexed: Promise<IndexedRange | undefined>) => {
    const range = await indexed;
    return range === undefined ? NO_LIST : transactions.all(range.first, range.tip);
  };
  return readIndexedPage(context, request, find, detail);
}

export function listAddressTransactions(
  context: QueryContext,
  address: Bytes,
  request: PageRequest,
  detail?: Detail,
): Promise<TransactionPage> {
  return readIndexedPage(context, request, ({ addresses }) => addresses.transactionsOf(address), detail);
}

interface ReadPage<I extends PageInfo | WalkInfo = PageInfo> extends ReadTransactions {
  readonly info: I;
}

async function readIndexedPage(
  context: QueryContext,
  request: PageRequest,
  find: (session: ReadSession, range: Promise<IndexedRange | undefined>) => Promise<OrdinalList>,
  detail: Detail,
): Promise<TransactionPage> {
  const page = await context.store.read(async (session) => {
    const indexed = readIndexedRange(session);
    const [list, range] = await Promise.all([find(session, indexed), indexed]);
    const { info, positions } = await readListPage(list, range, request);
    return { info, ...(await readMined(context, session, range, positions, detail)) };
  });
  return summarisePage(context, page, "index");
}

export async function readMined(
  context: QueryContext,
  session: ReadSession,
  range: IndexedRange | undefined,
  positions: readonly number[],
  detail?: Detail,
): Promise<ReadTransactions> {
  const height = knownHeight(context, range);
  const found = await session.transactions.at(positions, detail === "actions");
  const load = async () => {
    const mined = await session.transactions.withInputs(found, MAX_LISTED_INPUT);
    return loadRelated(
      session,
      range,
      mined.map((each) => viewMined(each, height)),
    );
  };
  if (detail === undefined) return load();
  const logged = found.map((each) => ({ ...each, logs: logsInRow(each) }));
  const [related, { addresses, ...acted }] = await Promise.all([
    load(),
    readActions(context, session, logged, describedActions),
  ]);
  return { ...related, ...acted, addresses: new Map([...addresses, ...related.addresses]) };
}

const NO_TOKENS: ReadonlySet<KnownToken> = new Set();

export async function summarisePage<I extends PageInfo | WalkInfo>(
  context: QueryContext,
  page: ReadPage<I>,
  scope: CacheScope | undefined,
): Promise<TransactionPage<I>> {
  const { addresses, info, copies = NO_TOKENS } = page;
  return { transactions: await summarise(context, page), addresses, info, scope, copies };
}

/** From the index, or from the node where the index does not reach. */
export async function listBlockTransactions(
  context: QueryContext,
  id: number | Bytes,
  request: PageRequest<Bytes>,
  detail?: Detail,
): Promise<TransactionPage | undefined> {
  const indexed = await context.store.read((session) => readOfBlock(context, session, id, request, detail));
  if (indexed !== undefined) return summarisePage(context, indexed, "index");
  const page = await readFromNode(context, id, request, detail);
  return page && summarisePage(context, page, undefined);
}

async function readOfBlock(
  context: QueryContext,
  session: ReadSession,
  id: number | Bytes,
  request: PageRequest<Bytes>,
  detail: Detail,
): Promise<ReadPage | undefined> {
  const [block, range] = await Promise.all([readBlock(session, id), readIndexedRange(session)]);
  if (block === undefined || !contains(range, block.header.number)) return undefined;
  const { header, sums } = block;
  const { info, window } = pageInBlock(sums.transactions, range, request, header);
  const positions = await session.transactions.positionsInBlock(header.number, window.from, window.to);
  return { info, ...(await readMined(context, session, range, positions, detail)) };
}

/** An indexed height is the index's to answer: otherwise the node's block is on a lost fork. */
async function readFromNode(
  context: QueryContext,
  id: number | Bytes,
  request: PageRequest<Bytes>,
  detail: Detail,
): Promise<ReadPage | undefined> {
  const block = await askForBlock(context, id);
  if (block === undefined) return undefined;
  const { header, transactions } = block;
  return context.store.read(async (session) => {
    const range = await readIndexedRange(session);
    if (contains(range, header.number)) return readOfBlock(context, session, id, request, detail);
    const { info, window } = pageInBlock(transactions.length, range, request, header);
    return { info, ...(await loadRelated(session, range, viewsIn(block, window, knownHeight(context, range)))) };
  });
}

function viewsIn({ header, transactions, receipts }: Block, { from, to }: PageWindow, height: KnownHeight) {
  const confirmations = confirmationsAtNode(height, header.number);
  return transactions.slice(from, to).map((transaction, at): TransactionView => {
    const receipt = receipts[from + at];
    return { transaction, outcome: receipt && { receipt, index: from + at, header, confirmations } };
  });
}
