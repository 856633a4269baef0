import { feeOf, maxFeeOf } from "../../chain/block/fees.ts";
import { uintToBigInt } from "../../chain/encoding/uint.ts";
import type { TransactionView } from "./transactionView.ts";

/** What a transaction costs, in wei. */
export interface TransactionFees {
  /** What the sender paid, blob fees included; while it is pending, the most it can cost. */
  readonly fee: bigint;
  /** The part that went to the miner and the part that was burnt; undefined for types without a bid, and while it is pending. */
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
  const most = uintToBigInt(tx.maxFeePerGas);
  const room = most > base ? most - base : 0n;
  const tip = uintToBigInt(tx.maxPriorityFeePerGas);
  return { priority: lesser(tip, room) * gas, burnt: most === 0n ? 0n : base * gas };
}

function lesser(a: bigint, b: bigint): bigint {
  if (a < b) return a;
  return b;
}
