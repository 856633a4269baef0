import { receiptsRoot } from "../../src/chain/block/block.ts";
import type { Header, Withdrawal } from "../../src/chain/block/header.ts";
import { headerHash, withdrawalsRoot, writeHeader, writeWithdrawal } from "../../src/chain/block/header.ts";
import type { Receipt } from "../../src/chain/block/receipt.ts";
import type { Transaction } from "../../src/chain/block/transaction.ts";
import type { Bytes } from "../../src/chain/encoding/bytes.ts";
import { EMPTY } from "../../src/chain/encoding/bytes.ts";
import { fromHex } from "../../src/chain/encoding/hex.ts";
import { RlpWriter } from "../../src/chain/encoding/rlp.ts";
import { uintFromNumber } from "../../src/chain/encoding/uint.ts";
import type { Draft } from "../../src/chain/encoding/wire.ts";
import { orderedTrieRoot } from "../../src/chain/hashing/trie.ts";
import type { Random } from "./random.ts";
import { writeAnyTransaction } from "./simulatedTraffic.ts";

export interface BlockContent {
  readonly number: number;
  readonly parentHash: Bytes;
  readonly miner: Bytes;
  readonly timestamp: number;
  readonly baseFee: number;
  readonly excessBlobGas: number;
  readonly transactions: readonly Transaction[];
  readonly receipts: readonly Receipt[];
  readonly withdrawals: readonly Withdrawal[];
}

export const GAS_LIMIT = 30_000_000;

const NO_UNCLES = fromHex("0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347");
const NO_REQUESTS = fromHex("0xe3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");

/** The header that commits to some content; fields without a check (state, randao) are random. */
export function sealBlock(content: BlockContent, random: Random): Draft<Header> {
  const { transactions, receipts, withdrawals } = content;
  const gasUsed = receipts.at(-1)?.cumulativeGasUsed ?? 0;
  const header: Draft<Header> = {
    number: content.number,
    hash: EMPTY,
    parentHash: content.parentHash,
    sha3Uncles: NO_UNCLES,
    miner: content.miner,
    stateRoot: random.bytes(32),
    transactionsRoot: orderedTrieRoot(transactions, writeAnyTransaction),
    receiptsRoot: receiptsRoot(transactions, receipts),
    logsBloom: unionOfBlooms(receipts),
    difficulty: EMPTY,
    gasLimit: uintFromNumber(Math.max(GAS_LIMIT, gasUsed)),
    gasUsed,
    timestamp: content.timestamp,
    extraData: random.bytes(random.int(33)),
    mixHash: random.bytes(32),
    nonce: new Uint8Array(8),
    baseFeePerGas: uintFromNumber(content.baseFee),
    withdrawalsRoot: withdrawalsRoot(withdrawals),
    blobGasUsed: receipts.reduce((sum, receipt) => sum + (receipt.blobGasUsed ?? 0), 0),
    excessBlobGas: uintFromNumber(content.excessBlobGas),
    parentBeaconBlockRoot: random.bytes(32),
    requestsHash: NO_REQUESTS,
    size: 0,
    uncles: [],
    withdrawals,
  };
  header.hash = headerHash(header);
  header.size = blockSize(header, transactions);
  return header;
}

function unionOfBlooms(receipts: readonly Receipt[]): Bytes {
  const union = new Uint8Array(256);
  for (const { logs, logsBloom } of receipts) {
    if (logs.length > 0) for (let i = 0; i < 256; i++) union[i]! |= logsBloom[i]!;
  }
  return union;
}

const scratch = new RlpWriter();

function blockSize(header: Header, transactions: readonly Transaction[]): number {
  scratch.reset();
  for (const withdrawal of header.withdrawals!.toReversed()) writeWithdrawal(withdrawal, scratch);
  scratch.closeList(0);
  scratch.closeList(scratch.length);
  const start = scratch.length;
  for (const tx of transactions.toReversed()) {
    const txStart = scratch.length;
    writeAnyTransaction(tx, scratch);
    // In a block a typed transaction is a string around type and list, a legacy one the list itself.
    if (tx.type > 0) scratch.closeString(txStart);
  }
  scratch.closeList(start);
  writeHeader(header, scratch);
  scratch.closeList(0);
  return scratch.length;
}
