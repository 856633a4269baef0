import { EMPTY } from "../../chain/bytes.ts";
import type { Context } from "../context.ts";
import { LONGEST_LISTED_INPUT } from "../decode/decoder.ts";
import { isCall, presentTransaction } from "./presentTransaction.ts";
import type { Surroundings, TransactionView } from "./views.ts";

/** Transactions of a list: decoded without a question to the node, and without long inputs. */
export async function presentListed(
  { decoder }: Context,
  views: readonly TransactionView[],
  around: Surroundings,
): Promise<object[]> {
  const inputs = views.map(({ transaction }) => (isCall(transaction, around) ? transaction.input : EMPTY));
  const calls = await decoder.listed(inputs);
  return views.map((view, i) => presentTransaction(view, around, calls[i], LONGEST_LISTED_INPUT));
}
