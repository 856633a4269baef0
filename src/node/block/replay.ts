import type { BlockHeader } from "@ethereumjs/block";
import { createBlockFromRLP } from "@ethereumjs/block";
import { RLP } from "@ethereumjs/rlp";
import type { Withdrawal as LibraryWithdrawal } from "@ethereumjs/util";
import type { RunTxResult } from "@ethereumjs/vm";
import { runBlock } from "@ethereumjs/vm";
import type { Withdrawal } from "../../chain/block/header.ts";
import type { Receipt } from "../../chain/block/receipt.ts";
import type { Bytes } from "../../chain/encoding/bytes.ts";
import { uintFromBigInt } from "../../chain/encoding/uint.ts";
import { ChainError } from "../../chain/error.ts";
import { itemAt } from "../../std/values.ts";
import type { Machine } from "../machine/machine.ts";
import type { ForkRules, Rules } from "../rules.ts";
import { asList, decodeList } from "../state/rlpFields.ts";
import type { MinedBlock } from "./minedBlock.ts";
import { receiptOf } from "./outcome.ts";
import { decodeHeaderRlp } from "./stored.ts";
import type { SignedTransaction } from "./toTransaction.ts";
import { decodeSigned } from "./toTransaction.ts";

/** Executes a foreign block. The library rejects mismatching roots, gas or blooms. */
export async function replay(
  rlp: Bytes,
  parent: MinedBlock,
  chain: Rules,
  machineFor: (rules: ForkRules) => Promise<Machine>,
): Promise<{ block: MinedBlock; machine: Machine }> {
  const [headerItems, transactions, uncles, withdrawals] = decodeList(rlp);
  const header = decodeHeaderRlp(RLP.encode(asList(headerItems)));
  if (header.number !== parent.header.number + 1) {
    throw new ChainError("invalid_argument", `block ${header.number} does not follow ${parent.header.number}`);
  }
  const rules = chain.at(header);
  const machine = await machineFor(rules);
  const library = createBlockFromRLP(rlp, { common: rules, freeze: false, skipConsensusFormatValidation: true });
  const { results } = await runBlock(machine.vm, { block: library, root: parent.stateRoot, skipBlockValidation: true });
  const raw = asList(transactions).map((tx) => (Array.isArray(tx) ? RLP.encode(tx) : tx));
  const signed = raw.map((bytes) => decodeSigned(bytes, rules));
  header.size = rlp.length;
  header.uncles = library.uncleHeaders.map((uncle) => uncle.hash());
  if (withdrawals !== undefined) header.withdrawals = (library.withdrawals ?? []).map(toWithdrawal);
  const block: MinedBlock = {
    header,
    transactions: signed.map(({ transaction }) => transaction),
    receipts: receiptsOf(results, signed, library.header),
    raw,
    uncles: asList(uncles).map((uncle) => RLP.encode(uncle)),
    stateRoot: header.stateRoot,
  };
  return { block, machine };
}

function receiptsOf(
  results: readonly RunTxResult[],
  signed: readonly SignedTransaction[],
  header: BlockHeader,
): Receipt[] {
  const blobGasPrice = header.excessBlobGas === undefined ? undefined : header.getBlobGasPrice();
  const charges = { baseFeePerGas: header.baseFeePerGas, blobGasPrice };
  let logs = 0;
  return results.map((result, index) => {
    const receipt = receiptOf(itemAt(signed, index).transaction, result, charges, logs);
    logs += receipt.logs.length;
    return receipt;
  });
}

function toWithdrawal({ index, validatorIndex, address, amount }: LibraryWithdrawal): Withdrawal {
  return {
    index: Number(index),
    validatorIndex: Number(validatorIndex),
    address: address.bytes,
    amount: uintFromBigInt(amount),
  };
}
