import { feeOf, maxFeeOf } from "../../chain/block/fees.ts";
import { uintToBigInt } from "../../chain/encoding/uint.ts";
import type { TransactionView } from "./transactionView.ts";

interface TransactionFees {
  /** Including blob fees; the maximum if pending. */
  readonly fee: bigint;
  /** Undefined for legacy types and if pending. */
  readonly shares: { readonly priority: bigint; readonly burnt: bigint } | undefined;
}

export function feesOf({ transaction: tx, outcome }: TransactionView): TransactionFees {
  if (outcome === undefined) return { fee: maxFeeOf(tx), shares: undefined };
  return { fee: feeOf(tx, outcome.receipt), shares: sharesOf({ transaction: tx, outcome }) };
}

function sharesOf({ transaction: tx, outcome }: TransactionView): TransactionFees["shares"] {
  const baseFee = outcome?.header.baseFeePerGas;
  if (outcome === undefined || baseFee === undefined) return undefined;
  if (tx.maxFeePerGas === undefined || tx.maxPriorityFeePerGas === undefined) return undefined;
  const gas = BigInt(outcome.receipt.gasUsed);
  const base = uintToBigInt(baseFee);
  const max = uintToBigInt(tx.maxFeePerGas);
  const room = max > base ? max - base : 0n;
  const tip = uintToBigInt(tx.maxPriorityFeePerGas);
  return { priority: lesser(tip, room) * gas, burnt: max === 0n ? 0n : base * gas };
}

function lesser(a: bigint, b: bigint): bigint {
  if (a < b) return a;
  return b;
}
