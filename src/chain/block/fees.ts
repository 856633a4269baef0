import { itemAt } from "../../std/values.ts";
import { EMPTY } from "../encoding/bytes.ts";
import { uintToBigInt } from "../encoding/uint.ts";
import type { Block } from "./block.ts";
import type { Receipt } from "./receipt.ts";
import type { Transaction } from "./transaction.ts";

/** Gas per blob (EIP-4844). */
export const BLOB_GAS = 131_072;

/** The receipt fields that determine the fee. */
type FeeFields = Pick<Receipt, "gasUsed" | "effectiveGasPrice" | "blobGasUsed" | "blobGasPrice">;

/** In wei, including blob gas. */
export function feeOf(tx: Pick<Transaction, "gasPrice">, receipt: FeeFields): bigint {
  const price = receipt.effectiveGasPrice ?? tx.gasPrice;
  const gasFee = price === undefined ? 0n : uintToBigInt(price) * BigInt(receipt.gasUsed);
  return receipt.blobGasPrice === undefined ? gasFee : gasFee + blobFeeOf(receipt);
}

type Bid = Pick<Transaction, "gas" | "gasPrice" | "maxFeePerGas" | "maxFeePerBlobGas"> & {
  readonly blobVersionedHashes?: readonly unknown[] | null;
};

/** Upper bound of the fee in wei. */
export function maxFeeOf({ gas, gasPrice, maxFeePerGas, maxFeePerBlobGas, blobVersionedHashes }: Bid): bigint {
  const gasFee = uintToBigInt(maxFeePerGas ?? gasPrice ?? EMPTY) * uintToBigInt(gas);
  const blobGas = BigInt((blobVersionedHashes?.length ?? 0) * BLOB_GAS);
  return gasFee + uintToBigInt(maxFeePerBlobGas ?? EMPTY) * blobGas;
}

function blobFeeOf({ blobGasPrice, blobGasUsed = 0 }: FeeFields): bigint {
  return blobGasPrice === undefined ? 0n : uintToBigInt(blobGasPrice) * BigInt(blobGasUsed);
}

export interface BlockSums {
  readonly transactions: number;
  readonly logs: number;
  readonly blobTransactions: number;
  /** Including blob fees. */
  readonly fees: bigint;
  readonly blobFees: bigint;
}

export function sumBlock({ transactions, receipts }: Pick<Block, "transactions" | "receipts">): BlockSums {
  let [logs, blobTransactions, fees, blobFees] = [0, 0, 0n, 0n];
  for (const [index, tx] of transactions.entries()) {
    const receipt = itemAt(receipts, index);
    logs += receipt.logs.length;
    fees += feeOf(tx, receipt);
    if (tx.type !== 3) continue;
    blobTransactions++;
    blobFees += blobFeeOf(receipt);
  }
  return { transactions: transactions.length, logs, blobTransactions, fees, blobFees };
}
