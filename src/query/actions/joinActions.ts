import type { Signature } from "../../chain/abi/signature.ts";
import type { Bytes } from "../../chain/encoding/bytes.ts";
import { uintToBigInt } from "../../chain/encoding/uint.ts";
import type { ListedReceipt, ListedTransaction } from "../../store/rows/transactionBody.ts";
import type { Method } from "../decode/method.ts";
import type { Action, CallSummary, TransactionActions } from "./action.ts";
import { readBatch } from "./batch.ts";
import type { ReadAction } from "./readActions.ts";

interface ExplainedTransaction {
  readonly transaction: ListedTransaction;
  readonly outcome: { readonly receipt: ListedReceipt } | undefined;
  readonly method: Method | undefined;
  /** Why it failed, as far as that is known. */
  readonly reason: string | undefined;
}

/** Joins the actions of a transaction with its call. */
export function joinActions(
  { transaction: tx, outcome, method, reason }: ExplainedTransaction,
  { actions, isComplete }: ReadAction,
  signatureOf: (input: Bytes) => Signature | undefined,
): TransactionActions {
  const nameOf = (input: Bytes) => signatureOf(input)?.name;
  const call: CallSummary = {
    from: tx.from,
    to: tx.to,
    value: uintToBigInt(tx.value),
    method,
    parts: tx.to === null || method === undefined || tx.input === null ? [] : readBatch(tx.input, tx.to, nameOf),
  };
  const hasFailed = outcome?.receipt.status === 0;
  return {
    call,
    failure: hasFailed ? { reason } : undefined,
    isPending: outcome === undefined,
    actions: hasFailed || outcome === undefined ? [] : withPayment(actions, call),
    isComplete,
  };
}

/** A plain payment is an action of its own, unless the coins were wrapped. */
function withPayment(actions: readonly Action[], { from, to, value, method }: CallSummary): readonly Action[] {
  if (to === null || method !== undefined || actions.some(({ type }) => type === "wrap")) return actions;
  if (value === 0n && actions.length > 0) return actions;
  return [...actions, { type: "send", asset: { token: null, amount: value }, from, to }];
}
