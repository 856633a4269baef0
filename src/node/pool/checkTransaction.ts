import { getCalldataFloorGas } from "@ethereumjs/tx";
import { maxFeeOf } from "../../chain/block/fees.ts";
import type { Header } from "../../chain/block/header.ts";
import { uintToBigInt } from "../../chain/encoding/uint.ts";
import type { ForkRules } from "../rules.ts";
import type { SubmittedTransaction } from "./decodeRawTransaction.ts";
import { refuse } from "./decodeRawTransaction.ts";

/**
 * geth's limit: four slots of 32 kB. Blob transactions, and creations on chains with a larger code limit, may exceed
 * it.
 */
const MAX_BYTES = 131_072;
const MAX_BLOB_BYTES = 1_048_576;
/** EIP-7825. */
const MAX_GAS = 16_777_216n;

/** Stateless checks in geth's order, with its messages. */
export function checkTransaction(tx: SubmittedTransaction, head: Header, rules: ForkRules): void {
  const { transaction, runnable, raw } = tx;
  const isLargeCreation = transaction.to === null && rules.hasOwnCodeSize;
  const max = transaction.type === 3 || isLargeCreation ? MAX_BLOB_BYTES : MAX_BYTES;
  if (raw.length > max) throw refuse(`oversized data: transaction size ${raw.length}, limit ${max}`);
  const { maxInitCodeSize } = rules;
  if (transaction.to === null && transaction.input.length > maxInitCodeSize) {
    throw refuse(`max initcode size exceeded: code size ${transaction.input.length}, limit ${maxInitCodeSize}`);
  }
  const gas = runnable.gasLimit;
  if (gas > uintToBigInt(head.gasLimit)) throw refuse("exceeds block gas limit");
  if (rules.isActivatedEIP(7825) && gas > MAX_GAS) {
    throw refuse(`transaction gas limit too high (cap: ${MAX_GAS}, tx: ${gas})`);
  }
  const intrinsic = runnable.getIntrinsicGas();
  if (gas < intrinsic) throw refuse(`intrinsic gas too low: gas ${gas}, minimum needed ${intrinsic}`);
  const floor = rules.isActivatedEIP(7623) ? getCalldataFloorGas(runnable, runnable.getSenderAddress()) : 0n;
  if (gas < floor) throw refuse(`insufficient gas for floor data gas cost: gas ${gas}, minimum needed ${floor}`);
}

export function costOf({ transaction, runnable }: SubmittedTransaction): bigint {
  return maxFeeOf(transaction) + runnable.value;
}

/** `queued` is the cost of the sender's other pending transactions. */
export function checkFunds(tx: SubmittedTransaction, balance: bigint, queued: bigint): void {
  const cost = costOf(tx);
  const lacking = "insufficient funds for gas * price + value";
  if (balance < cost) throw refuse(`${lacking}: balance ${balance}, tx cost ${cost}, overshot ${cost - balance}`);
  if (balance < queued + cost) {
    const overshot = queued + cost - balance;
    throw refuse(`${lacking}: balance ${balance}, queued cost ${queued}, tx cost ${cost}, overshot ${overshot}`);
  }
}
