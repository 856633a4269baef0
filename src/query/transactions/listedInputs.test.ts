import assert from "node:assert/strict";
import { test } from "node:test";
import { LONGEST_LISTED_INPUT } from "../decode/decoder.ts";
import { boundInputs } from "./listedInputs.ts";
import type { TransactionView } from "./transactionView.ts";

test("a page shows long inputs until they come to its bound, and short ones always", () => {
  const lengths = [LONGEST_LISTED_INPUT, 3000, 3000, LONGEST_LISTED_INPUT + 1, 10, 0];
  const views = lengths.map((length) => ({ transaction: { input: new Uint8Array(length).fill(7) } }));

  const bounded = boundInputs(views as unknown as TransactionView[], 5000);

  const shown = bounded.map(({ transaction }) => transaction.input?.length ?? null);
  assert.deepEqual(shown, [LONGEST_LISTED_INPUT, 3000, null, null, 10, 0]);
  assert.deepEqual(bounded[2]?.transaction.selector, new Uint8Array(4).fill(7));
});
