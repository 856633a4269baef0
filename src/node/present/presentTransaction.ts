import type { AccessListEntry, Authorization, Transaction } from "../../chain/block/transaction.ts";
import type { Hex } from "../../chain/encoding/hex.ts";
import { quantity, toHex, uintToHex } from "../../chain/encoding/hex.ts";
import type { Wire } from "../../chain/encoding/wire.ts";
import type { MinedBlock } from "../block/minedBlock.ts";
import type { LoggedBlock } from "../block/stored.ts";

/** The block of a transaction as all in it repeat it. */
export interface ShownPlace {
  readonly blockHash: Hex;
  readonly blockNumber: Hex;
  readonly blockTimestamp: Hex;
}

export function placeOf({ header }: LoggedBlock): ShownPlace {
  return {
    blockHash: toHex(header.hash),
    blockNumber: quantity(header.number),
    blockTimestamp: quantity(header.timestamp),
  };
}

/** A transaction of a block, with the price it paid. The keys stand in geth's order. */
export function presentTransaction(block: MinedBlock, index: number, place: ShownPlace = placeOf(block)): Wire {
  const tx = block.transactions[index]!;
  const price = block.receipts[index]!.effectiveGasPrice ?? tx.gasPrice!;
  return present(tx, place, quantity(index), uintToHex(price));
}

const NOWHERE = { blockHash: null, blockNumber: null, blockTimestamp: null } as const;

/** A transaction that waits, with the most it would pay. */
export function presentPendingTransaction(tx: Transaction): Wire {
  return present(tx, NOWHERE, null, uintToHex(tx.maxFeePerGas ?? tx.gasPrice!));
}

function present(tx: Transaction, place: ShownPlace | typeof NOWHERE, index: Hex | null, gasPrice: Hex): Wire {
  const shown: Record<string, unknown> = {
    blockHash: place.blockHash,
    blockNumber: place.blockNumber,
    blockTimestamp: place.blockTimestamp,
    from: toHex(tx.from),
    gas: uintToHex(tx.gas),
    gasPrice,
  };
  if (tx.maxFeePerGas !== undefined) {
    shown.maxFeePerGas = uintToHex(tx.maxFeePerGas);
    shown.maxPriorityFeePerGas = uintToHex(tx.maxPriorityFeePerGas!);
  }
  if (tx.maxFeePerBlobGas !== undefined) shown.maxFeePerBlobGas = uintToHex(tx.maxFeePerBlobGas);
  shown.hash = toHex(tx.hash);
  shown.input = toHex(tx.input);
  shown.nonce = uintToHex(tx.nonce);
  shown.to = tx.to === null ? null : toHex(tx.to);
  shown.transactionIndex = index;
  shown.value = uintToHex(tx.value);
  shown.type = quantity(tx.type);
  addLists(tx, shown);
  shown.v = uintToHex(tx.v);
  shown.r = uintToHex(tx.r);
  shown.s = uintToHex(tx.s);
  if (tx.type > 0) shown.yParity = shown.v;
  return shown;
}

function addLists(tx: Transaction, shown: Record<string, unknown>): void {
  if (tx.accessList !== undefined) shown.accessList = tx.accessList.map(presentAccess);
  if (tx.chainId !== undefined) shown.chainId = uintToHex(tx.chainId);
  if (tx.blobVersionedHashes !== undefined) shown.blobVersionedHashes = tx.blobVersionedHashes.map(toHex);
  if (tx.authorizationList !== undefined) shown.authorizationList = tx.authorizationList.map(presentAuthorization);
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
