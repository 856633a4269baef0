import type { Decoded } from "../../chain/abi/resolve.ts";
import { EMPTY } from "../../chain/encoding/bytes.ts";
import type { AddressInfos } from "../../store/read/addressInfos.ts";
import type { ReadSession } from "../../store/session.ts";
import { transactionKey } from "../../store/tokens/ledger/transferCounts.ts";
import type { QueryContext } from "../context.ts";
import type { IndexedRange } from "../indexedRange.ts";
import { hasTokens } from "../tokens/tokenStage.ts";
import type { Method } from "./method.ts";
import { isCall, listedInput, methodOf } from "./method.ts";
import type { TransactionView } from "./transactionView.ts";
import { addressesOf } from "./transactionView.ts";

/** A transaction as lists show it: decoded without a question to the node, and without long inputs. */
export interface TransactionSummary extends TransactionView {
  /** Whether it moved tokens; undefined where the tokens stage is not as far. */
  readonly movesTokens: boolean | undefined;
  /** Undefined for what is no call. */
  readonly method: Method | undefined;
  readonly decoded: Decoded | undefined;
}

/** Transactions with what is read beside them. */
export interface ReadTransactions {
  readonly views: readonly TransactionView[];
  readonly addresses: AddressInfos;
  /** The places of those that moved tokens. */
  readonly withTokenTransfers: ReadonlySet<number> | undefined;
}

export async function readBeside(
  session: ReadSession,
  range: IndexedRange | undefined,
  views: readonly TransactionView[],
): Promise<ReadTransactions> {
  const addresses = await session.addresses.infos(views.flatMap(addressesOf));
  return { views, addresses, withTokenTransfers: await readWithTokenTransfers(session, range, views) };
}

async function readWithTokenTransfers(
  session: ReadSession,
  range: IndexedRange | undefined,
  views: readonly TransactionView[],
): Promise<ReadonlySet<number> | undefined> {
  if (!(await hasTokens(session, range))) return undefined;
  const outcomes = views.flatMap(({ outcome }) => outcome ?? []);
  return session.tokens.transfers.among(outcomes.map(({ header, index }) => transactionKey(header.number, index)));
}

/** Decodes by what all contracts share. Not inside a snapshot: it takes turns with others. */
export async function summarise(
  { decoder }: QueryContext,
  { views, addresses, withTokenTransfers }: ReadTransactions,
): Promise<TransactionSummary[]> {
  const inputs = views.map(({ transaction }) => (isCall(transaction, addresses) ? listedInput(transaction) : EMPTY));
  const calls = await decoder.listed(inputs);
  return views.map(({ transaction, outcome }, at) => ({
    transaction,
    outcome,
    movesTokens: outcome && withTokenTransfers?.has(transactionKey(outcome.header.number, outcome.index)),
    method: methodOf(transaction, addresses, calls[at]?.name),
    decoded: calls[at]?.decoded,
  }));
}
