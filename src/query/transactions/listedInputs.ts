import { MAX_LISTED_INPUT_LENGTH } from "../decode/decoder.ts";
import type { TransactionView } from "./transactionView.ts";

/** Bytes of one page's inputs that are longer than those a row always shows. */
export const MAX_LISTED_INPUT = 1 << 20;

/** Leaves out long inputs from the first on that does not fit any more. */
export function boundInputs(views: readonly TransactionView[], most = MAX_LISTED_INPUT): readonly TransactionView[] {
  let size = 0;
  return views.map((view) => {
    const { input } = view.transaction;
    if (input === null || input.length <= MAX_LISTED_INPUT_LENGTH) return view;
    size += input.length;
    if (size <= most) return view;
    return { ...view, transaction: { ...view.transaction, input: null, selector: input.subarray(0, 4) } };
  });
}
