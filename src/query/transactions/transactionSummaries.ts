import type { Decoded } from "../../chain/abi/resolve.ts";
import { EMPTY } from "../../chain/encoding/bytes.ts";
import type { AddressInfos } from "../../store/read/addressInfos.ts";
import { transactionKey } from "../../store/rows/position.ts";
import type { ReadSession } from "../../store/session.ts";
import type { KnownToken } from "../../store/stages/tokens/read/tokenReads.ts";
import type { TransactionActions } from "../actions/action.ts";
import { joinActions } from "../actions/joinActions.ts";
import type { ReadAction } from "../actions/readActions.ts";
import type { QueryContext } from "../context.ts";
import type { Method } from "../decode/method.ts";
import { isCall, listedInput, methodOf } from "../decode/method.ts";
import type { IndexedRange } from "../indexedRange.ts";
import { contains } from "../indexedRange.ts";
import { hasTokens } from "../stageRanges.ts";
import { boundInputs } from "./listedInputs.ts";
import type { TransactionOutcome, TransactionView } from "./transactionView.ts";
import { addressesOf } from "./transactionView.ts";

/** List form: decoded without requests, without long inputs. */
export interface TransactionSummary extends TransactionView {
  /** Undefined if the tokens stage is behind. */
  readonly transferCount: number | undefined;
  /** The node's message; undefined on success or if not traced. */
  readonly error: string | undefined;
  readonly method: Method | undefined;
  readonly decoded: Decoded | undefined;
  /** Undefined unless asked for. */
  readonly actions?: TransactionActions | undefined;
}

export interface ReadTransactions {
  readonly views: readonly TransactionView[];
  readonly addresses: AddressInfos;
  /** By transaction key; missing if the tokens stage is behind. */
  readonly transferCounts: ReadonlyMap<number, number>;
  /** By transaction key. */
  readonly errors: ReadonlyMap<number, string>;
  /** In the order of the views, unless they were not asked for. */
  readonly actions?: readonly ReadAction[] | undefined;
  readonly copies?: ReadonlySet<KnownToken> | undefined;
}

export async function loadRelated(
  session: ReadSession,
  range: IndexedRange | undefined,
  views: readonly TransactionView[],
): Promise<ReadTransactions> {
  const outcomes = views.flatMap(({ outcome }) => outcome ?? []);
  const failed = outcomes.filter(({ receipt }) => receipt.status === 0);
  const [addresses, transferCounts, errors] = await Promise.all([
    session.addresses.infos(views.flatMap(addressesOf)),
    countTransfers(session, range, outcomes),
    session.traces.failures(failed.map(keyOf)),
  ]);
  return { views: boundInputs(views), addresses, transferCounts, errors };
}

async function countTransfers(
  session: ReadSession,
  range: IndexedRange | undefined,
  outcomes: readonly TransactionOutcome[],
) {
  if (!(await hasTokens(session, range))) return new Map<number, number>();
  const keys = outcomes.filter(({ header }) => contains(range, header.number)).map(keyOf);
  const counts = await session.tokens.transfers.counts(keys);
  return new Map(keys.map((key) => [key, counts.get(key) ?? 0]));
}

const keyOf = ({ header, index }: TransactionOutcome) => transactionKey(header.number, index);

/** By shared signatures. Yields, so call it outside a snapshot. */
export async function summarise(
  { decoder }: QueryContext,
  { views, addresses, transferCounts, errors, actions }: ReadTransactions,
): Promise<TransactionSummary[]> {
  const inputs = views.map(({ transaction }) => (isCall(transaction, addresses) ? listedInput(transaction) : EMPTY));
  const calls = await decoder.listed(inputs);
  const signatureOf = decoder.signaturesOfCalls();
  return views.map(({ transaction, outcome }, at) => {
    const key = outcome && keyOf(outcome);
    const error = key === undefined ? undefined : errors.get(key);
    const method = methodOf(transaction, addresses, calls[at]?.name);
    const read = actions?.[at];
    return {
      transaction,
      outcome,
      transferCount: key === undefined ? undefined : transferCounts.get(key),
      error,
      method,
      decoded: calls[at]?.decoded,
      ...(read && { actions: joinActions({ transaction, outcome, method, reason: error }, read, signatureOf) }),
    };
  });
}
