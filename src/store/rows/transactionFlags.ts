import type { Receipt } from "../../chain/block/receipt.ts";
import type { Transaction } from "../../chain/block/transaction.ts";
import { equalBytes } from "../../chain/encoding/bytes.ts";

export const HAS = {
  to: 1,
  success: 2,
  root: 4,
  contract: 8,
  gasPrice: 16,
  maxFee: 64,
  maxPriorityFee: 32,
  chainId: 128,
  accessList: 256,
  blobs: 512,
  authorizations: 1024,
  effectiveGasPrice: 2048,
  effectiveIsGasPrice: 4096,
  blobGasUsed: 8192,
  blobGasPrice: 16384,
  extra: 32768,
  receiptExtra: 65536,
  firstLog: 131_072,
} as const;

export function flagsOf(tx: Transaction, receipt: Receipt): number {
  const effective = receipt.effectiveGasPrice;
  const samePrice = effective !== undefined && tx.gasPrice !== undefined && equalBytes(effective, tx.gasPrice);
  let flags = 0;
  if (tx.to !== null) flags |= HAS.to;
  if (receipt.status === 1) flags |= HAS.success;
  if (receipt.root !== undefined) flags |= HAS.root;
  if (receipt.contractAddress !== null) flags |= HAS.contract;
  if (tx.gasPrice !== undefined) flags |= HAS.gasPrice;
  if (tx.maxFeePerGas !== undefined) flags |= HAS.maxFee;
  if (tx.maxPriorityFeePerGas !== undefined) flags |= HAS.maxPriorityFee;
  if (tx.chainId !== undefined) flags |= HAS.chainId;
  if (tx.accessList !== undefined) flags |= HAS.accessList;
  if (tx.blobVersionedHashes !== undefined) flags |= HAS.blobs;
  if (tx.authorizationList !== undefined) flags |= HAS.authorizations;
  if (effective !== undefined) flags |= samePrice ? HAS.effectiveIsGasPrice : HAS.effectiveGasPrice;
  if (receipt.blobGasUsed !== undefined) flags |= HAS.blobGasUsed;
  if (receipt.blobGasPrice !== undefined) flags |= HAS.blobGasPrice;
  if (tx.extra !== undefined) flags |= HAS.extra;
  if (receipt.extra !== undefined) flags |= HAS.receiptExtra;
  return flags;
}
