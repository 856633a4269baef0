import { receiptsRoot, transactionsRoot } from "../../../chain/block/block.ts";
import { BLOB_GAS } from "../../../chain/block/fees.ts";
import type { Header } from "../../../chain/block/header.ts";
import { headerHash, withdrawalsRoot } from "../../../chain/block/header.ts";
import type { Receipt } from "../../../chain/block/receipt.ts";
import type { Transaction } from "../../../chain/block/transaction.ts";
import type { Bytes } from "../../../chain/encoding/bytes.ts";
import { EMPTY } from "../../../chain/encoding/bytes.ts";
import { uintFromBigInt } from "../../../chain/encoding/uint.ts";
import type { Draft } from "../../../chain/encoding/wire.ts";
import { logsBloom } from "../../../chain/hashing/bloom.ts";
import { keccak256 } from "../../../chain/hashing/keccak.ts";
import { EMPTY_ROOT } from "../../../chain/hashing/trie.ts";
import { writeBlock } from "../../block/assemble.ts";
import type { MinedBlock } from "../../block/minedBlock.ts";
import { nextFees } from "../../block/plan.ts";
import { requestsHash } from "../../block/systemCalls.ts";
import type { Rules } from "../../rules.ts";
import type { Arranged } from "./arrange.ts";
import { encodeTransaction } from "./unsigned.ts";

const NO_UNCLES = keccak256(new Uint8Array([0xc0]));
const ZERO_HASH = new Uint8Array(32);

/** Without validation the base fee is 0 unless overridden. */
export function beginHeader(parent: Header, arranged: Arranged, chain: Rules, validation: boolean): Draft<Header> {
  const { number, timestamp, block } = arranged;
  const rules = chain.at({ number, timestamp });
  const fees = nextFees(parent, chain, rules);
  const draft: Draft<Header> = {
    number,
    hash: EMPTY,
    parentHash: parent.hash,
    sha3Uncles: NO_UNCLES,
    miner: block.feeRecipient ?? parent.miner,
    stateRoot: EMPTY_ROOT,
    transactionsRoot: EMPTY_ROOT,
    receiptsRoot: EMPTY_ROOT,
    logsBloom: EMPTY,
    difficulty: rules.gteHardfork("paris") ? EMPTY : difficultyOf(arranged, parent),
    gasLimit: block.gasLimit === undefined ? parent.gasLimit : uintFromBigInt(block.gasLimit),
    gasUsed: 0,
    timestamp,
    extraData: EMPTY,
    mixHash: block.prevRandao ?? ZERO_HASH,
    nonce: new Uint8Array(8),
    size: 0,
    uncles: [],
  };
  if (rules.isActivatedEIP(1559)) {
    draft.baseFeePerGas = uintFromBigInt(block.baseFeePerGas ?? (validation ? fees.baseFeePerGas : 0n));
  }
  if (rules.isActivatedEIP(4895)) draft.withdrawals = block.withdrawals ?? [];
  if (rules.isActivatedEIP(4844)) {
    draft.excessBlobGas = uintFromBigInt(fees.excessBlobGas);
    draft.parentBeaconBlockRoot = block.beaconRoot ?? ZERO_HASH;
  }
  return draft;
}

function difficultyOf({ block }: Arranged, parent: Header): Bytes {
  return block.difficulty === undefined ? parent.difficulty : uintFromBigInt(block.difficulty);
}

interface Simulated {
  readonly transactions: readonly Transaction[];
  readonly receipts: readonly Receipt[];
  readonly stateRoot: Bytes;
  readonly requests: readonly Bytes[] | undefined;
}

export function sealSimulated(
  header: Draft<Header>,
  { transactions, receipts, stateRoot, requests }: Simulated,
): MinedBlock {
  header.stateRoot = stateRoot;
  header.transactionsRoot = transactionsRoot(transactions);
  header.receiptsRoot = receiptsRoot(transactions, receipts);
  header.logsBloom = logsBloom(receipts.flatMap(({ logs }) => logs));
  header.gasUsed = receipts.at(-1)?.cumulativeGasUsed ?? 0;
  if (header.withdrawals !== undefined) header.withdrawalsRoot = withdrawalsRoot(header.withdrawals);
  if (header.excessBlobGas !== undefined) {
    header.blobGasUsed = transactions.reduce((sum, tx) => sum + (tx.blobVersionedHashes?.length ?? 0) * BLOB_GAS, 0);
  }
  if (requests !== undefined) header.requestsHash = requestsHash(requests);
  header.hash = headerHash(header);
  const raw = transactions.map(encodeTransaction);
  header.size = writeBlock(header, raw, []).length;
  return { header, transactions, receipts, raw, uncles: [], stateRoot };
}
