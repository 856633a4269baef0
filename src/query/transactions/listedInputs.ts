import { MAX_LISTED_INPUT_LENGTH } from "../decode/decoder.ts";
import type { TransactionView } from "./transactionView.ts";

/** Input bytes per page beyond what rows hold inline. */
export const MAX_LISTED_INPUT = 1 << 20;

/** Drops long inputs once the limit is reached. */
export function boundInputs(views: readonly TransactionView[], max = MAX_LISTED_INPUT): readonly TransactionView[] {
  let size = 0;
  return views.map((view) => {
    const { input } = view.transaction;
    if (input === null || input.length <= MAX_LISTED_INPUT_LENGTH) return view;
    size += input.length;
    if (size <= max) return view;
    return { ...view, transaction: { ...view.transaction, input: null, selector: input.subarray(0, 4) } };
  });
}
