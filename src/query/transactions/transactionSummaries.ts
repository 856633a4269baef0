import type { Decoded } from "../../chain/abi/resolve.ts";
import { EMPTY } from "../../chain/encoding/bytes.ts";
import type { AddressInfos } from "../../store/read/addressInfos.ts";
import { transactionKey } from "../../store/rows/position.ts";
import type { ReadSession } from "../../store/session.ts";
import type { QueryContext } from "../context.ts";
import type { Method } from "../decode/method.ts";
import { isCall, listedInput, methodOf } from "../decode/method.ts";
import type { IndexedRange } from "../indexedRange.ts";
import { contains } from "../indexedRange.ts";
import { hasTokens } from "../stageRanges.ts";
import { boundInputs } from "./listedInputs.ts";
import type { TransactionOutcome, TransactionView } from "./transactionView.ts";
import { addressesOf } from "./transactionView.ts";

/** A transaction as lists show it: decoded without a question to the node, and without long inputs. */
export interface TransactionSummary extends TransactionView {
  /** How many token transfers it made; undefined where the tokens stage is not as far. */
  readonly transferCount: number | undefined;
  /** Why it failed, in the words of the node; undefined where it did not, and where it is not traced. */
  readonly error: string | undefined;
  /** Undefined for what is no call. */
  readonly method: Method | undefined;
  readonly decoded: Decoded | undefined;
}

/** Transactions with what is read beside them. */
export interface ReadTransactions {
  readonly views: readonly TransactionView[];
  readonly addresses: AddressInfos;
  /** How many token transfers they made, by their keys; absent where the tokens stage is not as far. */
  readonly transferCounts: ReadonlyMap<number, number>;
  /** Why they failed, by their keys. */
  readonly errors: ReadonlyMap<number, string>;
}

export async function loadRelated(
  session: ReadSession,
  range: IndexedRange | undefined,
  views: readonly TransactionView[],
): Promise<ReadTransactions> {
  const outcomes = views.flatMap(({ outcome }) => outcome ?? []);
  const failed = outcomes.filter(({ receipt }) => receipt.status === 0);
  return {
    views: boundInputs(views),
    addresses: await session.addresses.infos(views.flatMap(addressesOf)),
    transferCounts: await countTransfers(session, range, outcomes),
    errors: await session.traces.failures(failed.map(keyOf)),
  };
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

/** Decodes by what all contracts share. Not inside a snapshot: it takes turns with others. */
export async function summarise(
  { decoder }: QueryContext,
  { views, addresses, transferCounts, errors }: ReadTransactions,
): Promise<TransactionSummary[]> {
  const inputs = views.map(({ transaction }) => (isCall(transaction, addresses) ? listedInput(transaction) : EMPTY));
  const calls = await decoder.listed(inputs);
  return views.map(({ transaction, outcome }, at) => {
    const key = outcome && keyOf(outcome);
    return {
      transaction,
      outcome,
      transferCount: key === undefined ? undefined : transferCounts.get(key),
      error: key === undefined ? undefined : errors.get(key),
      method: methodOf(transaction, addresses, calls[at]?.name),
      decoded: calls[at]?.decoded,
    };
  });
}
