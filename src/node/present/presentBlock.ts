import type { Header, Withdrawal } from "../../chain/block/header.ts";
import { quantity, toHex, uintToHex } from "../../chain/encoding/hex.ts";
import type { Wire } from "../../chain/encoding/wire.ts";
import type { MinedBlock } from "../block/minedBlock.ts";
import { placeOf, presentPendingTransaction, presentTransaction } from "./presentTransaction.ts";

/** A block with its transactions or with their hashes; the keys in the order of the alphabet, as geth has them. */
export function presentBlock(block: MinedBlock, isFull: boolean): Wire {
  const place = placeOf(block);
  return present(block, isFull ? (_, index) => presentTransaction(block, index, place) : ({ hash }) => toHex(hash));
}

/** The block to come, which has no hash, nonce or miner yet. */
export function presentPendingBlock(block: MinedBlock, isFull: boolean): Wire {
  const shown = present(block, isFull ? presentPendingTransaction : ({ hash }) => toHex(hash));
  return { ...shown, hash: null, miner: null, nonce: null };
}

type Transactions = MinedBlock["transactions"];

function present(
  { header, transactions }: MinedBlock,
  show: (tx: Transactions[number], index: number) => unknown,
): Wire {
  const shown = startHeader(header);
  shown.size = quantity(header.size);
  shown.stateRoot = toHex(header.stateRoot);
  shown.timestamp = quantity(header.timestamp);
  shown.transactions = transactions.map(show);
  shown.transactionsRoot = toHex(header.transactionsRoot);
  shown.uncles = header.uncles.map(toHex);
  if (header.withdrawals !== undefined) shown.withdrawals = header.withdrawals.map(presentWithdrawal);
  if (header.withdrawalsRoot !== undefined) shown.withdrawalsRoot = toHex(header.withdrawalsRoot);
  return shown;
}

function startHeader(header: Header): Record<string, unknown> {
  const shown: Record<string, unknown> = {};
  if (header.baseFeePerGas !== undefined) shown.baseFeePerGas = uintToHex(header.baseFeePerGas);
  if (header.blobGasUsed !== undefined) shown.blobGasUsed = quantity(header.blobGasUsed);
  shown.difficulty = uintToHex(header.difficulty);
  if (header.excessBlobGas !== undefined) shown.excessBlobGas = uintToHex(header.excessBlobGas);
  shown.extraData = toHex(header.extraData);
  shown.gasLimit = uintToHex(header.gasLimit);
  shown.gasUsed = quantity(header.gasUsed);
  shown.hash = toHex(header.hash);
  shown.logsBloom = toHex(header.logsBloom);
  shown.miner = toHex(header.miner);
  shown.mixHash = toHex(header.mixHash);
  shown.nonce = toHex(header.nonce);
  shown.number = quantity(header.number);
  if (header.parentBeaconBlockRoot !== undefined) shown.parentBeaconBlockRoot = toHex(header.parentBeaconBlockRoot);
  shown.parentHash = toHex(header.parentHash);
  shown.receiptsRoot = toHex(header.receiptsRoot);
  if (header.requestsHash !== undefined) shown.requestsHash = toHex(header.requestsHash);
  shown.sha3Uncles = toHex(header.sha3Uncles);
  return shown;
}

export function presentWithdrawal({ index, validatorIndex, address, amount }: Withdrawal): Wire {
  return {
    index: quantity(index),
    validatorIndex: quantity(validatorIndex),
    address: toHex(address),
    amount: uintToHex(amount),
  };
}
