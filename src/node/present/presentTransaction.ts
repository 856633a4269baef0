import type { AccessListEntry, Authorization, Transaction } from "../../chain/block/transaction.ts";
import { EMPTY } from "../../chain/encoding/bytes.ts";
import type { Hex } from "../../chain/encoding/hex.ts";
import { quantity, toHex, uintToHex } from "../../chain/encoding/hex.ts";
import type { Wire } from "../../chain/encoding/wire.ts";
import { itemAt } from "../../std/defined.ts";
import type { MinedBlock } from "../block/minedBlock.ts";
import type { LoggedBlock } from "../block/stored.ts";

/** Block fields repeated in its records. */
export interface BlockLocation {
  readonly blockHash: Hex;
  readonly blockNumber: Hex;
  readonly blockTimestamp: Hex;
}

export function locationOf({ header }: LoggedBlock): BlockLocation {
  return {
    blockHash: toHex(header.hash),
    blockNumber: quantity(header.number),
    blockTimestamp: quantity(header.timestamp),
  };
}

/** With the effective price. Keys in geth's order. */
export function presentTransaction(
  block: MinedBlock,
  index: number,
  location: BlockLocation = locationOf(block),
): Wire {
  const tx = itemAt(block.transactions, index);
  const price = itemAt(block.receipts, index).effectiveGasPrice ?? tx.gasPrice ?? EMPTY;
  return present(tx, location, quantity(index), uintToHex(price));
}

const PENDING = { blockHash: null, blockNumber: null, blockTimestamp: null } as const;

/** With the maximum price. */
export function presentPendingTransaction(tx: Transaction): Wire {
  return present(tx, PENDING, null, uintToHex(tx.maxFeePerGas ?? tx.gasPrice ?? EMPTY));
}

function present(tx: Transaction, location: BlockLocation | typeof PENDING, index: Hex | null, gasPrice: Hex): Wire {
  const record: Record<string, unknown> = {
    blockHash: location.blockHash,
    blockNumber: location.blockNumber,
    blockTimestamp: location.blockTimestamp,
    from: toHex(tx.from),
    gas: uintToHex(tx.gas),
    gasPrice,
  };
  if (tx.maxFeePerGas !== undefined) {
    record.maxFeePerGas = uintToHex(tx.maxFeePerGas);
    record.maxPriorityFeePerGas = uintToHex(tx.maxPriorityFeePerGas ?? EMPTY);
  }
  if (tx.maxFeePerBlobGas !== undefined) record.maxFeePerBlobGas = uintToHex(tx.maxFeePerBlobGas);
  record.hash = toHex(tx.hash);
  record.input = toHex(tx.input);
  record.nonce = uintToHex(tx.nonce);
  record.to = tx.to === null ? null : toHex(tx.to);
  record.transactionIndex = index;
  record.value = uintToHex(tx.value);
  record.type = quantity(tx.type);
  addLists(tx, record);
  record.v = uintToHex(tx.v);
  record.r = uintToHex(tx.r);
  record.s = uintToHex(tx.s);
  if (tx.type > 0) record.yParity = record.v;
  return record;
}

function addLists(tx: Transaction, record: Record<string, unknown>): void {
  if (tx.accessList !== undefined) record.accessList = tx.accessList.map(presentAccess);
  if (tx.chainId !== undefined) record.chainId = uintToHex(tx.chainId);
  if (tx.blobVersionedHashes !== undefined) record.blobVersionedHashes = tx.blobVersionedHashes.map(toHex);
  if (tx.authorizationList !== undefined) record.authorizationList = tx.authorizationList.map(presentAuthorization);
}

function presentAccess({ address, storageKeys }: AccessListEntry): Wire {
  return { address: toHex(address), storageKeys: storageKeys.map(toHex) };
}

function presentAuthorization({ chainId, address, nonce, yParity, r, s }: Authorization): Wire {
  return {
    chainId: uintToHex(chainId),
    address: toHex(address),
    nonce: uintToHex(nonce),
    yParity: uintToHex(yParity),
    r: uintToHex(r),
    s: uintToHex(s),
  };
}
