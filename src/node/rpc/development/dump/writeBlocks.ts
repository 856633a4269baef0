import { RLP } from "@ethereumjs/rlp";
import { concatBytes } from "@ethereumjs/util";
import type { Receipt } from "../../../../chain/block/receipt.ts";
import type { Bytes, Hash } from "../../../../chain/encoding/bytes.ts";
import { EMPTY, equalBytes } from "../../../../chain/encoding/bytes.ts";
import type { Hex } from "../../../../chain/encoding/hex.ts";
import { quantity, toHex, uintToHex } from "../../../../chain/encoding/hex.ts";
import { uintToBigInt } from "../../../../chain/encoding/uint.ts";
import type { Wire } from "../../../../chain/encoding/wire.ts";
import { keccak256 } from "../../../../chain/hashing/keccak.ts";
import { defined, itemAt } from "../../../../std/values.ts";
import { blobGasPrice } from "../../../block/blobGasPrice.ts";
import type { MinedBlock } from "../../../block/minedBlock.ts";
import { decodeKept } from "../../../block/toTransaction.ts";
import type { Chain } from "../../../chain.ts";
import { presentBlock } from "../../../present.ts";
import type { ForkRules } from "../../../rules.ts";
import type { Pace } from "../../../state/pace.ts";
import { JsonText, MAX_STATE_BYTES, TooLarge } from "./jsonText.ts";

/** A lower bound, so that a chain that cannot fit is not read. */
const MIN_BLOCK_BYTES = 1500;

/** Writes the blocks up to a head, and the executed transactions. */
export async function writeBlocks(text: JsonText, chain: Chain, head: number, pace: Pace): Promise<void> {
  if ((head + 1) * MIN_BLOCK_BYTES > MAX_STATE_BYTES) throw new TooLarge();
  const executed = new JsonText(text.length);
  let count = 0;
  text.add('"blocks":[');
  for (let number = 0; number <= head; number++) {
    const block = defined(chain.block(number));
    const rules = chain.rules.at(block.header);
    text.separate(number === 0);
    const dumped = await presentDumped(block, rules, pace);
    text.add(JSON.stringify(dumped));
    for (const [index, { impersonated_sender: sender }] of dumped.transactions.entries()) {
      executed.separate(count++ === 0);
      executed.add(JSON.stringify(presentExecuted(block, index, sender !== null)));
    }
    await pace.check();
  }
  text.add('],"transactions":[');
  text.add(executed.toString());
  text.add("]");
}

/** Fields of `eth_getBlockByNumber` that are not part of the header. */
const BODY = new Set(["hash", "size", "totalDifficulty", "transactions", "uncles", "withdrawals"]);

interface SignedTransaction {
  readonly transaction: object;
  /** Set if the transaction has no valid signature. */
  readonly impersonated_sender: Hex | null;
}

interface DumpedBlock {
  readonly header: object;
  readonly transactions: readonly SignedTransaction[];
  readonly ommers: readonly [];
  readonly withdrawals: unknown;
}

async function presentDumped(block: MinedBlock, rules: ForkRules, pace: Pace): Promise<DumpedBlock> {
  const shown = presentBlock(block, true);
  const header = Object.fromEntries(Object.entries(shown).filter(([key]) => !BODY.has(key)));
  const transactions: SignedTransaction[] = [];
  for (const [index, transaction] of (shown.transactions as Wire[]).entries()) {
    transactions.push(presentSigned(block, index, transaction, rules));
    await pace.check();
  }
  return { header, transactions, ommers: [], withdrawals: shown.withdrawals ?? null };
}

/** Fields of `eth_getTransactionByHash` that are not part of the transaction. */
const PLACE = new Set(["blockHash", "blockNumber", "blockTimestamp", "from", "transactionIndex"]);

function presentSigned(block: MinedBlock, index: number, shown: Wire, rules: ForkRules): SignedTransaction {
  const tx = itemAt(block.transactions, index);
  const isKept = (key: string) => !PLACE.has(key) && (key !== "gasPrice" || tx.type < 2);
  const transaction = Object.fromEntries(Object.entries(shown).filter(([key]) => isKept(key)));
  const isSigned = hasSigned(itemAt(block.raw, index), tx.from, rules);
  return { transaction, impersonated_sender: isSigned ? null : toHex(tx.from) };
}

function hasSigned(raw: Uint8Array, from: Uint8Array, rules: ForkRules): boolean {
  try {
    return equalBytes(decodeKept(raw, rules).getSenderAddress().bytes, from);
  } catch {
    return false;
  }
}

/** Without call traces: anvil has none for these transactions then. */
function presentExecuted(block: MinedBlock, index: number, isImpersonated: boolean): object {
  const { header, transactions, receipts } = block;
  const [tx, receipt] = [itemAt(transactions, index), itemAt(receipts, index)];
  const created = receipt.contractAddress;
  const info = {
    transaction_hash: toHex(isImpersonated ? impersonatedHash(itemAt(block.raw, index), tx.from) : tx.hash),
    transaction_index: index,
    from: toHex(tx.from),
    to: tx.to === null ? null : toHex(tx.to),
    contract_address: created === null ? null : toHex(created),
    traces: [],
    exit: receipt.status === 0 ? "Revert" : "Stop",
    out: null,
    nonce: Number(uintToBigInt(tx.nonce)),
    gas_used: receipt.gasUsed,
  };
  const { number, hash } = header;
  return { info, receipt: presentOutcome(receipt), block_hash: toHex(hash), block_number: number };
}

/** The hash under which anvil looks up an impersonated transaction. */
function impersonatedHash(raw: Bytes, sender: Bytes): Hash {
  const isLegacy = (raw[0] ?? 0) >= 0xc0;
  return keccak256(concatBytes(isLegacy ? raw : RLP.encode(raw), sender));
}

function presentOutcome({ type, status, root, cumulativeGasUsed, logsBloom, logs }: Receipt): object {
  return {
    type: quantity(type),
    ...(root === undefined ? { status: quantity(status ?? 0) } : { root: toHex(root) }),
    cumulativeGasUsed: quantity(cumulativeGasUsed),
    logs: logs.map(({ address, topics, data }) => ({
      address: toHex(address),
      topics: Array.from({ length: topics.length / 32 }, (_, at) => toHex(topics.subarray(at * 32, at * 32 + 32))),
      data: toHex(data),
    })),
    logsBloom: toHex(logsBloom),
  };
}

/** revm's block environment; anvil continues from it. */
export function writeEnvironment({ header }: MinedBlock, rules: ForkRules): string {
  const { number, miner, timestamp, gasLimit, baseFeePerGas, difficulty, mixHash, excessBlobGas } = header;
  const excess = excessBlobGas && uintToBigInt(excessBlobGas);
  const blobs =
    excess === undefined ? "null" : `{"excess_blob_gas":${excess},"blob_gasprice":${blobGasPrice(excess, rules)}}`;
  return (
    `{"number":"${quantity(number)}","beneficiary":"${toHex(miner)}","timestamp":"${quantity(timestamp)}",` +
    `"gas_limit":${uintToBigInt(gasLimit)},"basefee":${uintToBigInt(baseFeePerGas ?? EMPTY)},` +
    `"difficulty":"${uintToHex(difficulty)}","prevrandao":"${toHex(mixHash)}",` +
    `"blob_excess_gas_and_price":${blobs},"slot_num":0}`
  );
}
