import type { IndexedRange } from "../../../query/indexedRange.ts";
import { hasTokens } from "../../../query/tokens/tokenStage.ts";
import type { TransactionView } from "../../../query/transactions/transactionView.ts";
import type { ReadSession } from "../../../store/session.ts";
import { placeOf } from "../../../store/tokens/transferPlaces.ts";
import type { MinedTransaction } from "../../../store/transactions.ts";

/** The places of those of some transactions that moved tokens; undefined where the tokens stage is not as far. */
export async function readTransferring(
  session: ReadSession,
  range: IndexedRange | undefined,
  views: readonly TransactionView[],
): Promise<ReadonlySet<number> | undefined> {
  if (!(await hasTokens(session, range))) return undefined;
  const outcomes = views.flatMap(({ outcome }) => outcome ?? []);
  return session.tokens.transfers.among(outcomes.map(({ header, index }) => placeOf(header.number, index)));
}

/** The same for one transaction, by what its record shows of its transfers. */
export function transferringBy(
  { token_transfers }: { readonly token_transfers?: readonly object[] },
  { block, index }: MinedTransaction,
): ReadonlySet<number> | undefined {
  if (token_transfers === undefined) return undefined;
  return new Set(token_transfers.length > 0 ? [placeOf(block.header.number, index)] : []);
}
