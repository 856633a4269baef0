import type { Decoded } from "../../chain/abi/resolve.ts";
import type { RevertReason } from "../../chain/abi/revert.ts";
import { canonicalText } from "../../chain/abi/signature.ts";
import type { Log } from "../../chain/block/receipt.ts";
import type { Bytes } from "../../chain/encoding/bytes.ts";
import type { AddressInfos } from "../../store/read/addressInfos.ts";
import type { MinedTransaction } from "../../store/read/transactions.ts";
import { transactionKey } from "../../store/rows/position.ts";
import type { ReadSession } from "../../store/session.ts";
import type { KnownToken } from "../../store/stages/tokens/read/tokenReads.ts";
import type { TransferRanges } from "../../store/stages/tokens/tables/transferCounts.ts";
import type { TransactionActions } from "../actions/action.ts";
import { joinActions } from "../actions/joinActions.ts";
import type { LoggedTransaction, ReadActions } from "../actions/readActions.ts";
import { MAX_LOGS, readActions, readLogsOf } from "../actions/readActions.ts";
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
  readonly acted: ReadActions;
}

export interface TransactionFailure {
  /** The node's message: `execution reverted`, `out of gas`. */
  readonly error: string;
  /** Revert data. */
  readonly output: Bytes;
  readonly reason: RevertReason;
}

export interface TransactionDetails extends Omit<FoundTransaction, "acted"> {
  /** Undefined if unknown, like `transfers`. */
  readonly transferCount: number | undefined;
  readonly method: Method | undefined;
  readonly decoded: Decoded | undefined;
  readonly failure: TransactionFailure | undefined;
  /** EIP-7702, in order. */
  readonly authorizations: readonly AuthorizationOutcome[];
  readonly actions: TransactionActions;
  /** Tokens in actions whose symbol another token with more holders has. */
  readonly copies: ReadonlySet<KnownToken>;
  /** Undefined if it is not indexed or the node's data is incomplete. */
  readonly scope: CacheScope | undefined;
}

/** From the index, or from the node if pending or not indexed yet. */
export function findTransaction(context: QueryContext, hash: Bytes): Promise<FoundTransaction | undefined> {
  return find(context, hash, NO_DETAIL);
}

/** Reads what belongs to a transaction beside its row. */
type ReadDetail = (session: ReadSession, logged: readonly LoggedTransaction[]) => Promise<ReadActions>;

const NOT_ASKED: ReadActions = { actions: [], addresses: new Map(), copies: new Set() };
const NO_DETAIL: ReadDetail = async () => NOT_ASKED;

async function find(context: QueryContext, hash: Bytes, detail: ReadDetail): Promise<FoundTransaction | undefined> {
  const indexed = await context.store.read((session) => findIndexed(context, session, hash, detail));
  return indexed ?? findAtNode(context, hash, detail);
}

/** Decoded by the contracts at the newest indexed block. */
export async function readTransaction(context: QueryContext, hash: Bytes): Promise<TransactionDetails | undefined> {
  const found = await find(context, hash, (session, logged) => readActions(context, session, logged));
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
  const method = methodOf(transaction, addresses, decoded?.signature.name);
  const { acted, ...rest } = found;
  return {
    ...rest,
    transferCount: transfers?.count,
    method,
    decoded,
    failure,
    authorizations,
    actions: actionsOf({ ...found, method, failure, authorizations }, decoder.signaturesOfCalls()),
    copies: acted.copies,
    scope: found.isIndexed ? scope : undefined,
  };
}

type Explained = FoundTransaction & Pick<TransactionDetails, "method" | "failure" | "authorizations">;

/** Delegations are those of the recovered signers. */
function actionsOf(
  { acted, failure, error, authorizations, ...view }: Explained,
  signatureOf: Parameters<typeof joinActions>[2],
): TransactionActions {
  const reason = failure === undefined ? error : (textOfReason(failure.reason) ?? failure.error);
  const read = acted.actions[0] ?? { actions: [], isComplete: true };
  let at = 0;
  const actions = read.actions.map((action) => {
    if (action.type !== "delegate") return action;
    const { authority, status } = authorizations[at++] ?? {};
    return {
      ...action,
      account: authority ?? undefined,
      isApplied: status === undefined ? undefined : status === "ok",
    };
  });
  return joinActions({ ...view, reason }, { ...read, actions }, signatureOf);
}

/** Undefined if the data tells nothing. */
function textOfReason(reason: RevertReason): string | undefined {
  return reason === null || "raw" in reason ? undefined : (reason.text ?? canonicalText(reason.signature));
}

async function findIndexed(
  context: QueryContext,
  session: ReadSession,
  hash: Bytes,
  detail: ReadDetail,
): Promise<FoundTransaction | undefined> {
  const ranges = session.tokens.transfers.rangesOf(hash);
  let related: Pick<FoundTransaction, "transfers" | "error" | "acted"> | undefined;
  const readMore = async (found: MinedTransaction, loaded: Promise<void>) => {
    const act = async () => {
      await loaded;
      return detail(session, [{ ...found, logs: await readLogsOf(session, found) }]);
    };
    const acting = detail === NO_DETAIL ? NOT_ASKED : act();
    const [more, acted] = await Promise.all([readRelated(context, session, found, await ranges), acting]);
    related = { ...more, acted };
  };
  const [mined, range] = await Promise.all([
    session.transactions.byHash(hash, readMore, detail !== NO_DETAIL),
    readIndexedRange(session),
    ranges,
  ]);
  if (mined === undefined || related === undefined || !contains(range, mined.block.header.number)) return undefined;
  const view = await readView(context, session, range, mined);
  const addresses = new Map([...related.acted.addresses, ...view.addresses]);
  return { ...view, ...related, addresses, range, isIndexed: true };
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
async function findAtNode(
  context: QueryContext,
  hash: Bytes,
  detail: ReadDetail,
): Promise<FoundTransaction | undefined> {
  const sent = await context.node?.readThrough.transaction(hash);
  if (sent === undefined) return undefined;
  return context.store.read(async (session) => {
    const [range, indexed] = await Promise.all([
      readIndexedRange(session),
      findIndexed(context, session, hash, detail),
    ]);
    if (indexed !== undefined) return indexed;
    if (sent.block !== undefined && contains(range, sent.block.header.number)) return undefined;
    const view = viewFromSource(sent, knownHeight(context, range));
    const [infos, acted] = await Promise.all([
      session.addresses.infos(addressesOf(view)),
      detail(session, loggedIn(view)),
    ]);
    const addresses = new Map([...acted.addresses, ...infos]);
    return { ...view, addresses, acted, range, isIndexed: false, error: undefined, transfers: undefined };
  });
}

/** With the logs of the node's receipt; empty while pending. */
function loggedIn({ transaction, outcome }: WholeTransactionView): LoggedTransaction[] {
  if (outcome === undefined) return [];
  const { logs = [] } = outcome.receipt as { readonly logs?: readonly Log[] };
  return [{ transaction, receipt: outcome.receipt, logs: logs.length > MAX_LOGS ? undefined : logs }];
}
