import assert from "node:assert/strict";
import { test } from "node:test";
import { MAX_LISTED_INPUT_LENGTH } from "../decode/decoder.ts";
import { boundInputs } from "./listedInputs.ts";
import type { TransactionView } from "./transactionView.ts";

test("a page shows long inputs until they come to its bound, and short ones always", () => {
  const lengths = [MAX_LISTED_INPUT_LENGTH, 3000, 3000, MAX_LISTED_INPUT_LENGTH + 1, 10, 0];
  const views = lengths.map((length) => ({ transaction: { input: new Uint8Array(length).fill(7) } }));

  const bounded = boundInputs(views as unknown as TransactionView[], 5000);

  const shown = bounded.map(({ transaction }) => transaction.input?.length ?? null);
  assert.deepEqual(shown, [MAX_LISTED_INPUT_LENGTH, 3000, null, null, 10, 0]);
  assert.deepEqual(bounded[2]?.transaction.selector, new Uint8Array(4).fill(7));
});
