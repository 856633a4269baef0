import { quantity, toHex, uintToHex } from "../../chain/encoding/hex.ts";
import type { Wire } from "../../chain/encoding/wire.ts";
import type { MinedBlock } from "../block/minedBlock.ts";
import { presentLog } from "./presentLog.ts";
import type { ShownPlace } from "./presentTransaction.ts";
import { placeOf } from "./presentTransaction.ts";

/** The receipt of a block's transaction; the keys in the order of the alphabet, as geth has them. */
export function presentReceipt(block: MinedBlock, index: number, place: ShownPlace = placeOf(block)): Wire {
  const tx = block.transactions[index]!;
  const receipt = block.receipts[index]!;
  const logPlace = { ...place, transactionHash: toHex(tx.hash), transactionIndex: quantity(index) };
  const shown: Record<string, unknown> = {};
  if (receipt.blobGasPrice !== undefined) shown.blobGasPrice = uintToHex(receipt.blobGasPrice);
  if (receipt.blobGasUsed !== undefined) shown.blobGasUsed = quantity(receipt.blobGasUsed);
  shown.blockHash = place.blockHash;
  shown.blockNumber = place.blockNumber;
  shown.contractAddress = receipt.contractAddress === null ? null : toHex(receipt.contractAddress);
  shown.cumulativeGasUsed = quantity(receipt.cumulativeGasUsed);
  shown.effectiveGasPrice = uintToHex(receipt.effectiveGasPrice ?? tx.gasPrice!);
  shown.from = toHex(tx.from);
  shown.gasUsed = quantity(receipt.gasUsed);
  shown.logs = receipt.logs.map((log) => presentLog(log, logPlace));
  shown.logsBloom = toHex(receipt.logsBloom);
  if (receipt.root !== undefined) shown.root = toHex(receipt.root);
  else shown.status = quantity(receipt.status ?? 0);
  shown.to = tx.to === null ? null : toHex(tx.to);
  shown.transactionHash = logPlace.transactionHash;
  shown.transactionIndex = logPlace.transactionIndex;
  shown.type = quantity(tx.type);
  return shown;
}

export function presentReceipts(block: MinedBlock): Wire[] {
  const place = placeOf(block);
  return block.receipts.map((_, index) => presentReceipt(block, index, place));
}
