import type { RunTxResult } from "@ethereumjs/vm";
import { createdAddress } from "../../chain/block/block.ts";
import { BLOB_GAS } from "../../chain/block/fees.ts";
import type { Log, Receipt } from "../../chain/block/receipt.ts";
import type { Transaction } from "../../chain/block/transaction.ts";
import { EMPTY } from "../../chain/encoding/bytes.ts";
import { uintFromBigInt, uintToBigInt } from "../../chain/encoding/uint.ts";
import type { Draft } from "../../chain/encoding/wire.ts";

interface Charges {
  readonly baseFeePerGas: bigint | undefined;
  readonly blobGasPrice: bigint | undefined;
}

export function receiptOf(tx: Transaction, result: RunTxResult, charges: Charges, logIndex: number): Receipt {
  const { receipt } = result;
  const draft: Draft<Receipt> = {
    type: tx.type,
    from: tx.from,
    to: tx.to,
    cumulativeGasUsed: Number(receipt.cumulativeBlockGasUsed),
    gasUsed: Number(result.totalGasSpent),
    effectiveGasPrice: uintFromBigInt(effectiveGasPrice(tx, charges.baseFeePerGas)),
    contractAddress: tx.to === null ? createdAddress(tx) : null,
    logsBloom: receipt.bitvector,
    logs: receipt.logs.map(([address, topics, data], index): Log => {
      return { address, topics: Buffer.concat(topics), data, logIndex: logIndex + index };
    }),
  };
  if ("stateRoot" in receipt) draft.root = receipt.stateRoot;
  else draft.status = receipt.status;
  const blobs = tx.blobVersionedHashes?.length ?? 0;
  if (tx.type === 3) draft.blobGasUsed = blobs * BLOB_GAS;
  if (tx.type === 3 && charges.blobGasPrice !== undefined) draft.blobGasPrice = uintFromBigInt(charges.blobGasPrice);
  return draft;
}

export function effectiveGasPrice(tx: Transaction, baseFeePerGas: bigint | undefined): bigint {
  if (tx.maxFeePerGas === undefined) return uintToBigInt(tx.gasPrice ?? EMPTY);
  const max = uintToBigInt(tx.maxFeePerGas);
  if (baseFeePerGas === undefined) return max;
  const bid = baseFeePerGas + uintToBigInt(tx.maxPriorityFeePerGas ?? EMPTY);
  if (bid > max) return max;
  return bid;
}
