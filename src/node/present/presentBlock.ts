import type { Header, Withdrawal } from "../../chain/block/header.ts";
import { quantity, toHex, uintToHex } from "../../chain/encoding/hex.ts";
import type { Wire } from "../../chain/encoding/wire.ts";
import type { MinedBlock } from "../block/minedBlock.ts";
import { locationOf, presentPendingTransaction, presentTransaction } from "./presentTransaction.ts";

/** Keys in geth's (alphabetical) order. */
export function presentBlock(block: MinedBlock, isFull: boolean): Wire {
  const location = locationOf(block);
  return present(block, isFull ? (_, index) => presentTransaction(block, index, location) : ({ hash }) => toHex(hash));
}

/** Without hash, nonce and miner. */
export function presentPendingBlock(block: MinedBlock, isFull: boolean): Wire {
  const record = present(block, isFull ? presentPendingTransaction : ({ hash }) => toHex(hash));
  return { ...record, hash: null, miner: null, nonce: null };
}

type Transactions = MinedBlock["transactions"];

function present(
  { header, transactions }: MinedBlock,
  show: (tx: Transactions[number], index: number) => unknown,
): Wire {
  const record = startHeader(header);
  record.size = quantity(header.size);
  record.stateRoot = toHex(header.stateRoot);
  record.timestamp = quantity(header.timestamp);
  record.transactions = transactions.map(show);
  record.transactionsRoot = toHex(header.transactionsRoot);
  record.uncles = header.uncles.map(toHex);
  if (header.withdrawals !== undefined) record.withdrawals = header.withdrawals.map(presentWithdrawal);
  if (header.withdrawalsRoot !== undefined) record.withdrawalsRoot = toHex(header.withdrawalsRoot);
  return record;
}

function startHeader(header: Header): Record<string, unknown> {
  const record: Record<string, unknown> = {};
  if (header.baseFeePerGas !== undefined) record.baseFeePerGas = uintToHex(header.baseFeePerGas);
  if (header.blobGasUsed !== undefined) record.blobGasUsed = quantity(header.blobGasUsed);
  record.difficulty = uintToHex(header.difficulty);
  if (header.excessBlobGas !== undefined) record.excessBlobGas = uintToHex(header.excessBlobGas);
  record.extraData = toHex(header.extraData);
  record.gasLimit = uintToHex(header.gasLimit);
  record.gasUsed = quantity(header.gasUsed);
  record.hash = toHex(header.hash);
  record.logsBloom = toHex(header.logsBloom);
  record.miner = toHex(header.miner);
  record.mixHash = toHex(header.mixHash);
  record.nonce = toHex(header.nonce);
  record.number = quantity(header.number);
  if (header.parentBeaconBlockRoot !== undefined) record.parentBeaconBlockRoot = toHex(header.parentBeaconBlockRoot);
  record.parentHash = toHex(header.parentHash);
  record.receiptsRoot = toHex(header.receiptsRoot);
  if (header.requestsHash !== undefined) record.requestsHash = toHex(header.requestsHash);
  record.sha3Uncles = toHex(header.sha3Uncles);
  return record;
}

export function presentWithdrawal({ index, validatorIndex, address, amount }: Withdrawal): Wire {
  return {
    index: quantity(index),
    validatorIndex: quantity(validatorIndex),
    address: toHex(address),
    amount: uintToHex(amount),
  };
}
