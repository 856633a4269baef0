import type { Decoded } from "../../chain/abi/resolve.ts";
import type { RevertReason } from "../../chain/abi/revert.ts";
import type { Bytes } from "../../chain/encoding/bytes.ts";
import type { AddressInfos } from "../../store/read/addressInfos.ts";
import type { MinedTransaction } from "../../store/read/transactions.ts";
import { transactionKey } from "../../store/rows/position.ts";
import type { ReadSession } from "../../store/session.ts";
import type { TransferRanges } from "../../store/stages/tokens/tables/transferCounts.ts";
import type { CacheScope } from "../cacheScope.ts";
import type { QueryContext } from "../context.ts";
import type { Method } from "../decode/method.ts";
import { isCall, methodOf } from "../decode/method.ts";
import type { IndexedRange } from "../indexedRange.ts";
import { contains, knownHeight, readIndexedRange } from "../indexedRange.ts";
import type { TransferExcerpt } from "../tokens/transfers.ts";
import { readTransferExcerpt } from "../tokens/transfers.ts";
import type { AuthorizationOutcome } from "./authorizations.ts";
import { readAuthorizations } from "./authorizations.ts";
import type { WholeTransactionView } from "./transactionView.ts";
import { addressesOf, viewFromSource, viewMined } from "./transactionView.ts";

interface FoundTransaction extends WholeTransactionView {
  readonly addresses: AddressInfos;
  readonly range: IndexedRange | undefined;
  readonly isIndexed: boolean;
  /** From the traces stage. */
  readonly error: string | undefined;
  /** Undefined if the tokens stage is behind or the transaction is not indexed. */
  readonly transfers: TransferExcerpt | undefined;
}

export interface TransactionFailure {
  /** The node's message: `execution reverted`, `out of gas`. */
  readonly error: string;
  /** Revert data. */
  readonly output: Bytes;
  readonly reason: RevertReason;
}

export interface TransactionDetails extends FoundTransaction {
  /** Undefined if unknown, like `transfers`. */
  readonly transferCount: number | undefined;
  readonly method: Method | undefined;
  readonly decoded: Decoded | undefined;
  readonly failure: TransactionFailure | undefined;
  /** EIP-7702, in order. */
  readonly authorizations: readonly AuthorizationOutcome[];
  /** Undefined if it is not indexed or the node's data is incomplete. */
  readonly scope: CacheScope | undefined;
}

/** From the index, or from the node if pending or not indexed yet. */
export async function findTransaction(context: QueryContext, hash: Bytes): Promise<FoundTransaction | undefined> {
  return (await context.store.read((session) => findIndexed(context, session, hash))) ?? findAtNode(context, hash);
}

/** Decoded by the contracts at the newest indexed block. */
export async function readTransaction(context: QueryContext, hash: Bytes): Promise<TransactionDetails | undefined> {
  const found = await findTransaction(context, hash);
  return found && explain(context, found);
}

async function explain(context: QueryContext, found: FoundTransaction): Promise<TransactionDetails> {
  const { decoder, node } = context;
  const { transaction, outcome, range, addresses, transfers } = found;
  const { to, input, hash } = transaction;
  const isDecoded = to !== null && isCall(transaction, addresses);
  const hasFailed = outcome?.receipt.status === 0;
  const by = decoder.deadline();
  const [decoded, trace, authorizations] = await Promise.all([
    isDecoded ? decoder.call(to, input, range?.tip, by) : undefined,
    hasFailed && node ? by.wait(node.traces.failure(hash, outcome.header.hash)) : undefined,
    readAuthorizations(context, found),
  ]);
  const failure = trace && { ...trace, reason: await decoder.revert(to, trace.output, range?.tip, by) };
  const isAsked =
    hasFailed || authorizations.length > 0 || (isDecoded && (decoder.hasAbis || decoded?.origin !== "known"));
  const isIncomplete = outcome !== undefined && authorizations.some(({ authority, status }) => authority && !status);
  const scope = by.isMissed || isIncomplete ? undefined : isAsked ? "state" : "index";
  return {
    ...found,
    transferCount: transfers?.count,
    method: methodOf(transaction, addresses, decoded?.signature.name),
    decoded,
    failure,
    authorizations,
    scope: found.isIndexed ? scope : undefined,
  };
}

async function findIndexed(
  context: QueryContext,
  session: ReadSession,
  hash: Bytes,
): Promise<FoundTransaction | undefined> {
  const ranges = session.tokens.transfers.rangesOf(hash);
  let related: Pick<FoundTransaction, "transfers" | "error"> | undefined;
  const [mined, range] = await Promise.all([
    session.transactions.byHash(hash, async (found) => {
      related = await readRelated(context, session, found, await ranges);
    }),
    readIndexedRange(session),
    ranges,
  ]);
  if (mined === undefined || related === undefined || !contains(range, mined.block.header.number)) return undefined;
  return { ...(await readView(context, session, range, mined)), ...related, range, isIndexed: true };
}

async function readRelated(
  context: QueryContext,
  session: ReadSession,
  mined: MinedTransaction,
  ranges: TransferRanges,
): Promise<Pick<FoundTransaction, "transfers" | "error">> {
  const [transfers, error] = await Promise.all([
    readTransferExcerpt(context, session, mined, ranges),
    readError(session, mined),
  ]);
  return { transfers, error };
}

async function readView(
  context: QueryContext,
  session: ReadSession,
  range: IndexedRange | undefined,
  mined: MinedTransaction,
): Promise<WholeTransactionView & Pick<FoundTransaction, "addresses">> {
  const view = viewMined(await session.transactions.full(mined), knownHeight(context, range));
  return { ...view, addresses: await session.addresses.infos(addressesOf(view)) };
}

async function readError({ traces }: ReadSession, { receipt, block, index }: MinedTransaction) {
  if (receipt.status !== 0) return undefined;
  const key = transactionKey(block.header.number, index);
  return (await traces.failures([key])).get(key);
}

/** A block at an indexed height is the index's to answer. */
async function findAtNode(context: QueryContext, hash: Bytes): Promise<FoundTransaction | undefined> {
  const sent = await context.node?.readThrough.transaction(hash);
  if (sent === undefined) return undefined;
  return context.store.read(async (session) => {
    const [range, indexed] = await Promise.all([readIndexedRange(session), findIndexed(context, session, hash)]);
    if (indexed !== undefined) return indexed;
    if (sent.block !== undefined && contains(range, sent.block.header.number)) return undefined;
    const view = viewFromSource(sent, knownHeight(context, range));
    const addresses = await session.addresses.infos(addressesOf(view));
    return { ...view, addresses, range, isIndexed: false, error: undefined, transfers: undefined };
  });
}
