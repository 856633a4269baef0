import { EMPTY } from "../../chain/encoding/bytes.ts";
import type { IndexedRange } from "../indexedRange.ts";
import { knownHeight } from "../indexedRange.ts";
import type { Surroundings, TransactionView } from "./transactionView.ts";
import { addressesOf } from "./transactionView.ts";
import { mapInTurns } from "../../std/turn.ts";
import type { ReadSession } from "../../store/session.ts";
import type { Context } from "../context.ts";
import { isCall, LISTED, listedInput, presentTransaction } from "../../api/rest/transactions/presentTransaction.ts";
import { readTransferring } from "../../api/rest/transactions/withTokenTransfers.ts";

/** What a list says beside its transactions. */
export async function readSurroundings(
  context: Context,
  session: ReadSession,
  range: IndexedRange | undefined,
  views: readonly TransactionView[],
): Promise<Surroundings> {
  const kinds = await session.addresses.kinds(views.flatMap(addressesOf));
  const transferring = await readTransferring(session, range, views);
  return { kinds, transferring, height: knownHeight(context, range) };
}

/** Transactions of a list: decoded without a question to the node, and without long inputs. */
export async function presentListed(
  { decoder }: Context,
  views: readonly TransactionView[],
  around: Surroundings,
): Promise<object[]> {
  const inputs = views.map(({ transaction }) => (isCall(transaction, around) ? listedInput(transaction) : EMPTY));
  const calls = await decoder.listed(inputs);
  return mapInTurns(views, (view, i) => presentTransaction(view, around, calls[i], LISTED));
}
