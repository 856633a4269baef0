import type { Bytes } from "../../chain/encoding/bytes.ts";
import type { CacheScope } from "../cacheScope.ts";
import type { IndexedRange } from "../indexedRange.ts";
import { contains, knownHeight, readIndexedRange } from "../indexedRange.ts";
import type { Surroundings, WholeTransactionView } from "./transactionView.ts";
import { addressesOf, viewFromSource, viewWhole } from "./transactionView.ts";
import type { ReadSession } from "../../store/session.ts";
import type { Context } from "../context.ts";
import { cacheable } from "../../api/http/responseCache.ts";
import { notFound } from "../../api/rest/errors.ts";
import { parseHash } from "../../api/rest/params.ts";
import { readShownTransfers } from "../tokens/transfers.ts";
import type { Meaning } from "../../api/rest/transactions/presentTransaction.ts";
import { isCall, presentTransaction } from "../../api/rest/transactions/presentTransaction.ts";
import { transferringBy } from "../../api/rest/transactions/withTokenTransfers.ts";

export interface FoundTransaction {
  readonly view: WholeTransactionView;
  readonly around: Surroundings;
  readonly range: IndexedRange | undefined;
  readonly isIndexed: boolean;
  /** What the tokens stage adds to the record. */
  readonly transfers?: object;
}

/** One transaction: from the index, or from the node if it waits or is in a block the index has not reached. */
export async function serveTransaction(context: Context, text: string): Promise<object> {
  const { view, around, transfers, range, isIndexed } = await expectTransaction(context, parseHash(text));
  const { scope, ...meaning } = await readMeaning(context, view, around, range);
  const record = { ...presentTransaction(view, around, meaning), ...transfers };
  return isIndexed ? cacheable(scope, record) : record;
}

interface NodeMeaning extends Meaning {
  /** What the record follows from, where nothing is missing that the node was asked for. */
  readonly scope: CacheScope | undefined;
}

/** What it called and why it failed, by what contracts are at the newest indexed block. */
async function readMeaning(
  { decoder, traceFailures }: Context,
  { transaction, outcome }: WholeTransactionView,
  around: Surroundings,
  range: IndexedRange | undefined,
): Promise<NodeMeaning> {
  const { to, input, hash } = transaction;
  const isDecoded = to !== null && isCall(transaction, around);
  const hasFailed = outcome?.receipt.status === 0;
  const by = decoder.deadline();
  const [decoded, told] = await Promise.all([
    isDecoded ? decoder.call(to, input, range?.tip, by) : undefined,
    hasFailed && traceFailures ? by.wait(traceFailures.failure(hash, outcome.header.hash)) : undefined,
  ]);
  const failure = told && { error: told.error, reason: await decoder.revert(to, told.output, range?.tip, by) };
  const isAsked = hasFailed || (isDecoded && (decoder.hasAbis || decoded?.origin !== "known"));
  const scope = by.isMissed ? undefined : isAsked ? "state" : "index";
  return { name: decoded?.signature.name, decoded, failure, scope };
}

export async function expectTransaction(context: Context, hash: Bytes): Promise<FoundTransaction> {
  const found = await findTransaction(context, hash);
  if (found === undefined) throw notFound();
  return found;
}

export async function findTransaction(context: Context, hash: Bytes): Promise<FoundTransaction | undefined> {
  return (await context.store.read((session) => readIndexed(context, session, hash))) ?? (await distant(context, hash));
}

async function readIndexed(context: Context, session: ReadSession, hash: Bytes): Promise<FoundTransaction | undefined> {
  const mined = await session.transactions.byHash(hash);
  if (mined === undefined) return undefined;
  const range = await readIndexedRange(session);
  const found = await surround(context, session, range, viewWhole(await session.transactions.whole(mined)));
  const transfers = await readShownTransfers(context, session, range, mined);
  const around = { ...found.around, transferring: transferringBy(transfers, mined) };
  return { ...found, around, isIndexed: true, transfers };
}

/** A transaction the node puts in a block of a height that the index contains is the index's to answer. */
async function distant(context: Context, hash: Bytes): Promise<FoundTransaction | undefined> {
  const sent = await context.readThrough?.transaction(hash);
  if (sent === undefined) return undefined;
  return context.store.read(async (session) => {
    const range = await readIndexedRange(session);
    const indexed = await readIndexed(context, session, hash);
    if (indexed !== undefined) return indexed;
    const isHeld = sent.block !== undefined && contains(range, sent.block.header.number);
    return isHeld ? undefined : surround(context, session, range, viewFromSource(sent));
  });
}

async function surround(
  context: Context,
  session: ReadSession,
  range: IndexedRange | undefined,
  view: WholeTransactionView,
): Promise<FoundTransaction> {
  const kinds = await session.addresses.kinds(addressesOf(view));
  return { view, range, isIndexed: false, around: { kinds, height: knownHeight(context, range) } };
}
