import type { Header } from "../../src/chain/block/header.ts";
import type { Transaction } from "../../src/chain/block/transaction.ts";
import { uintFromNumber, uintToNumber } from "../../src/chain/encoding/uint.ts";
import { DEPOSIT } from "./simulatedTraffic.ts";

export const BLOB_GAS = 131_072;
const TARGET_BLOB_GAS = 3 * BLOB_GAS;

/** EIP-1559: an eighth up or down with how full the parent was. */
export function nextBaseFee(parent: Header): number {
  const target = uintToNumber(parent.gasLimit) / 2;
  const baseFee = uintToNumber(parent.baseFeePerGas!);
  const change = Math.trunc((baseFee * ((parent.gasUsed - target) / target)) / 8);
  return Math.max(7, baseFee + (change === 0 && parent.gasUsed > target ? 1 : change));
}

/** EIP-4844. */
export function nextExcessBlobGas(parent: Header): number {
  return Math.max(0, uintToNumber(parent.excessBlobGas!) + parent.blobGasUsed! - TARGET_BLOB_GAS);
}

/** EIP-4844's `fake_exponential` with the update fraction of Prague. */
export function blobGasPrice(excessBlobGas: number): number {
  const fraction = 5_007_716;
  let sum = 0;
  for (let term = fraction, i = 1; term > 0; i++) {
    sum += term;
    term = Math.floor((term * excessBlobGas) / (fraction * i));
  }
  return Math.floor(sum / fraction);
}

export function highestPrice(tx: Transaction): number {
  if (tx.type === DEPOSIT) return Number.POSITIVE_INFINITY;
  return uintToNumber(tx.maxFeePerGas ?? tx.gasPrice!);
}

/** The transaction as nodes show it in a block with this base fee: `gasPrice` is what it pays there. */
export function atBaseFee(tx: Transaction, baseFee: number): Transaction {
  if (tx.maxFeePerGas === undefined) return tx;
  const tip = uintToNumber(tx.maxPriorityFeePerGas!);
  return { ...tx, gasPrice: uintFromNumber(Math.min(uintToNumber(tx.maxFeePerGas), baseFee + tip)) };
}
