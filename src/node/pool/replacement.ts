import { EMPTY } from "../../chain/encoding/bytes.ts";
import { uintToBigInt } from "../../chain/encoding/uint.ts";
import { itemAt } from "../../std/values.ts";
import type { SubmittedTransaction } from "./decodeRawTransaction.ts";
import { refuse } from "./decodeRawTransaction.ts";

/** Percent. */
const BUMP = 10n;
const BLOB_BUMP = 100n;

/** A replacement must raise every price by the bump. */
export function expectHigherBid(tx: SubmittedTransaction, replaced: SubmittedTransaction): void {
  const isBlob = tx.transaction.type === 3;
  if (isBlob !== (replaced.transaction.type === 3)) throw refuse("address already reserved");
  const bump = isBlob ? BLOB_BUMP : BUMP;
  const [now, before] = [bidsOf(tx), bidsOf(replaced)];
  const isHigher = now.every(
    (bid, index) => bid >= (itemAt(before, index) * (100n + bump)) / 100n && bid > itemAt(before, index),
  );
  if (!isHigher) throw refuse("replacement transaction underpriced");
}

function bidsOf({ transaction }: SubmittedTransaction): bigint[] {
  const { gasPrice, maxFeePerGas, maxPriorityFeePerGas, maxFeePerBlobGas } = transaction;
  const bids = [maxFeePerGas ?? gasPrice ?? EMPTY, maxPriorityFeePerGas ?? gasPrice ?? EMPTY];
  if (maxFeePerBlobGas !== undefined) bids.push(maxFeePerBlobGas);
  return bids.map((bid) => uintToBigInt(bid));
}
