import type { Block } from "../../../chain/block/block.ts";
import type { Bytes } from "../../../chain/encoding/bytes.ts";
import { contains, readIndexedRange } from "../../../query/indexedRange.ts";
import type { Surroundings, TransactionView } from "../../../query/transactions/transactionView.ts";
import { viewMined } from "../../../query/transactions/transactionView.ts";
import type { ReadSession } from "../../../store/session.ts";
import type { Context } from "../../../query/context.ts";
import { cacheable } from "../../http/responseCache.ts";
import type { Placed, Window } from "../envelope.ts";
import { presentList } from "../envelope.ts";
import { notFound } from "../errors.ts";
import { placeInBlock } from "../../../query/pages.ts";
import type { PageRequest, Query } from "../params.ts";
import { parseBlockId, parseBlockPage } from "../params.ts";
import { presentListed, readSurroundings } from "../../../query/transactions/transactionSummaries.ts";
import { askBlock } from "../../../query/blocks/block.ts";

interface FoundPage {
  readonly placed: Placed;
  readonly views: readonly TransactionView[];
  readonly around: Surroundings;
}

/** The transactions of one block in their order. */
export async function serveBlockTransactions(context: Context, text: string, query: Query): Promise<object> {
  const id = parseBlockId(text);
  const request = parseBlockPage(query);
  const indexed = await context.store.read((session) => readIndexed(context, session, id, request));
  const found = indexed ?? (await readDistant(context, id, request));
  if (found === undefined) throw notFound();
  const { placed, views, around } = found;
  const answer = presentList(await presentListed(context, views, around), placed);
  return indexed === undefined ? answer : cacheable("index", answer);
}

async function readIndexed(
  context: Context,
  session: ReadSession,
  id: number | Bytes,
  request: PageRequest<Bytes>,
): Promise<FoundPage | undefined> {
  const { blocks, transactions } = session;
  const block = typeof id === "number" ? await blocks.byNumber(id) : await blocks.byHash(id);
  if (block === undefined) return undefined;
  const { header, sums } = block;
  const range = await readIndexedRange(session);
  const placed = placeInBlock(sums.transactions, range, request, header);
  const positions = await transactions.placesInBlock(header.number, placed.window.from, placed.window.to);
  const views = (await transactions.at(positions)).map(viewMined);
  return { placed, views, around: await readSurroundings(context, session, range, views) };
}

/** A height that the index contains by now is the index's to answer, or it was on a lost fork. */
async function readDistant(
  context: Context,
  id: number | Bytes,
  request: PageRequest<Bytes>,
): Promise<FoundPage | undefined> {
  const block = await askBlock(context, id);
  if (block === undefined) return undefined;
  const { header, transactions } = block;
  return context.store.read(async (session) => {
    const range = await readIndexedRange(session);
    if (contains(range, header.number)) return readIndexed(context, session, id, request);
    const placed = placeInBlock(transactions.length, range, request, header);
    const views = viewPage(block, placed.window);
    return { placed, views, around: await readSurroundings(context, session, range, views) };
  });
}

function viewPage({ header, transactions, receipts }: Block, { from, to }: Window): TransactionView[] {
  return transactions.slice(from, to).map((transaction, at) => ({
    transaction,
    outcome: { receipt: receipts[from + at]!, index: from + at, header },
  }));
}
