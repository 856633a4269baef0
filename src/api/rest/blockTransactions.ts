import type { Block } from "../../chain/block.ts";
import type { Bytes } from "../../chain/bytes.ts";
import { equalBytes } from "../../chain/bytes.ts";
import type { Header } from "../../chain/header.ts";
import { toHex } from "../../chain/hex.ts";
import { fromIndex } from "../answers.ts";
import type { Context } from "../context.ts";
import type { PageRequest, Query } from "../params.ts";
import { parseBlockId, parseBlockPage } from "../params.ts";
import { askBlock } from "./blocks.ts";
import { presentFixed } from "./envelope.ts";
import { notFound } from "./errors.ts";
import { presentListed } from "./listedTransactions.ts";
import type { Reach } from "./reach.ts";
import { holds, knownHeight, readReach } from "./reach.ts";
import { readTransferring } from "./transferring.ts";
import type { Surroundings, TransactionView } from "./views.ts";
import { addressesOf, viewMined } from "./views.ts";

interface FoundPage {
  readonly header: Header;
  readonly total: number;
  readonly views: readonly TransactionView[];
  readonly around: Surroundings;
  readonly reach: Reach | undefined;
}

/** The transactions of one block in their order. A walk is held to the block it began in, by its hash. */
export async function serveBlockTransactions(context: Context, text: string, query: Query): Promise<object> {
  const id = parseBlockId(text);
  const request = parseBlockPage(query);
  const indexed = await context.store.read(() => readIndexed(context, id, request));
  const found = indexed ?? (await readDistant(context, id, request));
  if (found === undefined || isAnother(found.header, request.anchor)) throw notFound();
  const { header, total, views, around, reach } = found;
  const items = await presentListed(context, views, around);
  const place = { block: reach?.tip.number ?? null, since: reach?.first ?? null };
  const answer = presentFixed(items, { request, total, anchor: toHex(header.hash), ...place });
  return indexed === undefined ? answer : fromIndex(answer);
}

function isAnother({ hash }: Header, anchor: Bytes | undefined): boolean {
  return anchor !== undefined && !equalBytes(hash, anchor);
}

async function readIndexed(
  context: Context,
  id: number | Bytes,
  request: PageRequest<unknown>,
): Promise<FoundPage | undefined> {
  const { blocks, transactions } = context.store;
  const block = typeof id === "number" ? await blocks.byNumber(id) : await blocks.byHash(id);
  if (block === undefined) return undefined;
  const positions = await transactions.placesInBlock(
    block.header.number,
    ...placesOn(request, block.sums.transactions),
  );
  const views = (await transactions.at(positions)).map(viewMined);
  return surround(context, { header: block.header, total: block.sums.transactions, views });
}

/** A height that the index holds by now is the index's to answer, or it was on a lost fork. */
async function readDistant(
  context: Context,
  id: number | Bytes,
  request: PageRequest<unknown>,
): Promise<FoundPage | undefined> {
  const block = await askBlock(context, id);
  if (block === undefined) return undefined;
  const { header, transactions } = block;
  return context.store.read(async () => {
    if (holds(await readReach(context.store), header.number)) return readIndexed(context, id, request);
    return surround(context, { header, total: transactions.length, views: viewPage(block, request) });
  });
}

function viewPage({ header, transactions, receipts }: Block, request: PageRequest<unknown>): TransactionView[] {
  const [from, to] = placesOn(request, transactions.length);
  return transactions.slice(from, to).map((transaction, at) => ({
    transaction,
    outcome: { receipt: receipts[from + at]!, index: from + at, header },
  }));
}

/** The places [from, to) in the block that a page shows. */
function placesOn({ page, pageSize }: PageRequest<unknown>, total: number): [from: number, to: number] {
  return [Math.min((page - 1) * pageSize, total), Math.min(page * pageSize, total)];
}

async function surround(context: Context, found: Omit<FoundPage, "around" | "reach">): Promise<FoundPage> {
  const reach = await readReach(context.store);
  const kinds = await context.store.addresses.kinds(found.views.flatMap(addressesOf));
  const transferring = await readTransferring(context.store, reach, found.views);
  return { ...found, reach, around: { kinds, transferring, height: knownHeight(context, reach) } };
}
