import { EMPTY } from "../../chain/encoding/bytes.ts";
import { quantity, toHex, uintToHex } from "../../chain/encoding/hex.ts";
import type { Wire } from "../../chain/encoding/wire.ts";
import { itemAt } from "../../std/defined.ts";
import type { MinedBlock } from "../block/minedBlock.ts";
import { presentLog } from "./presentLog.ts";
import type { BlockLocation } from "./presentTransaction.ts";
import { locationOf } from "./presentTransaction.ts";

/** Keys in geth's (alphabetical) order. */
export function presentReceipt(block: MinedBlock, index: number, location: BlockLocation = locationOf(block)): Wire {
  const tx = itemAt(block.transactions, index);
  const receipt = itemAt(block.receipts, index);
  const logLocation = { ...location, transactionHash: toHex(tx.hash), transactionIndex: quantity(index) };
  const record: Record<string, unknown> = {};
  if (receipt.blobGasPrice !== undefined) record.blobGasPrice = uintToHex(receipt.blobGasPrice);
  if (receipt.blobGasUsed !== undefined) record.blobGasUsed = quantity(receipt.blobGasUsed);
  record.blockHash = location.blockHash;
  record.blockNumber = location.blockNumber;
  record.contractAddress = receipt.contractAddress === null ? null : toHex(receipt.contractAddress);
  record.cumulativeGasUsed = quantity(receipt.cumulativeGasUsed);
  record.effectiveGasPrice = uintToHex(receipt.effectiveGasPrice ?? tx.gasPrice ?? EMPTY);
  record.from = toHex(tx.from);
  record.gasUsed = quantity(receipt.gasUsed);
  record.logs = receipt.logs.map((log) => presentLog(log, logLocation));
  record.logsBloom = toHex(receipt.logsBloom);
  if (receipt.root !== undefined) record.root = toHex(receipt.root);
  else record.status = quantity(receipt.status ?? 0);
  record.to = tx.to === null ? null : toHex(tx.to);
  record.transactionHash = logLocation.transactionHash;
  record.transactionIndex = logLocation.transactionIndex;
  record.type = quantity(tx.type);
  return record;
}

export function presentReceipts(block: MinedBlock): Wire[] {
  const location = locationOf(block);
  return block.receipts.map((_, index) => presentReceipt(block, index, location));
}
