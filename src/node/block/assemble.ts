import type { Block as LibraryBlock } from "@ethereumjs/block";
import type { RunTxResult } from "@ethereumjs/vm";
import { receiptsRoot, transactionsRoot } from "../../chain/block/block.ts";
import { BLOB_GAS } from "../../chain/block/fees.ts";
import type { Header } from "../../chain/block/header.ts";
import { headerHash, withdrawalsRoot, writeHeader, writeWithdrawal } from "../../chain/block/header.ts";
import type { Receipt } from "../../chain/block/receipt.ts";
import type { Bytes } from "../../chain/encoding/bytes.ts";
import { EMPTY } from "../../chain/encoding/bytes.ts";
import { RlpWriter } from "../../chain/encoding/rlp.ts";
import { uintFromBigInt } from "../../chain/encoding/uint.ts";
import type { Draft } from "../../chain/encoding/wire.ts";
import { logsBloom } from "../../chain/hashing/bloom.ts";
import { keccak256 } from "../../chain/hashing/keccak.ts";
import { itemAt } from "../../std/values.ts";
import type { Machine } from "../machine/machine.ts";
import type { MinedBlock } from "./minedBlock.ts";
import { receiptOf } from "./outcome.ts";
import type { BlockPlan } from "./plan.ts";
import { environmentOf } from "./plan.ts";
import { runTransaction } from "./runTransaction.ts";
import { closeBlock, openBlock, payWithdrawals, requestsHash } from "./systemCalls.ts";
import type { SignedTransaction } from "./toTransaction.ts";

export interface Room {
  readonly gas: number;
  readonly blobs: number;
  readonly bytes: number;
}

/** Offers transactions one by one, and is notified of those that cannot run. */
export interface Candidates {
  next(room: Room): SignedTransaction | undefined;
  refused(tx: SignedTransaction, reason: Error): void;
}

/** Executes candidates on the parent's state and seals a block of those that ran. */
export async function assemble(machine: Machine, plan: BlockPlan, candidates: Candidates): Promise<MinedBlock> {
  const { included, requests } = await runBlock(machine, plan, candidates);
  return seal(plan, included, await machine.state.getStateRoot(), requests);
}

interface BlockOutcome {
  readonly included: Included;
  readonly requests: Bytes[] | undefined;
}

/** Leaves the machine at the state after the block, which is not hashed. */
export async function runBlock(machine: Machine, plan: BlockPlan, candidates: Candidates): Promise<BlockOutcome> {
  await machine.vm.evm.journal.checkpoint();
  try {
    const environment = environmentOf(plan);
    await openBlock(machine, environment, plan);
    const included = await runCandidates(machine, plan, environment, candidates);
    await payWithdrawals(machine, plan.withdrawals);
    const requests = await closeBlock(machine, environment);
    await machine.vm.evm.journal.commit();
    return { included, requests };
  } catch (error) {
    await machine.vm.evm.journal.revert();
    throw error;
  }
}

/** EIP-7934 (Osaka), unknown to the library: 10 MiB less 2 MiB of network overhead. */
const MAX_BLOCK_BYTES = 8 << 20;

const maxOverhead = ({ extraData, withdrawals }: BlockPlan) => 1024 + extraData.length + 64 * withdrawals.length;

/** With its RLP header. */
export const encodedBytes = ({ raw }: SignedTransaction): number => raw.length + 4;

const TOO_LARGE = new Error(`the block would be larger than ${MAX_BLOCK_BYTES} bytes`);

interface Included {
  readonly transactions: SignedTransaction[];
  readonly receipts: Receipt[];
  bytes: number;
  gasUsed: number;
  blobs: number;
  logs: number;
}

async function runCandidates(
  machine: Machine,
  plan: BlockPlan,
  environment: LibraryBlock,
  candidates: Candidates,
): Promise<Included> {
  const included: Included = { transactions: [], receipts: [], bytes: 0, gasUsed: 0, blobs: 0, logs: 0 };
  const maxBytes = plan.rules.gteHardfork("osaka") ? MAX_BLOCK_BYTES - maxOverhead(plan) : Number.POSITIVE_INFINITY;
  const maxBlobs = plan.rules.isActivatedEIP(4844)
    ? Number(plan.rules.getBlobGasSchedule().maxBlobGasPerBlock) / BLOB_GAS
    : 0;
  for (;;) {
    const bytes = maxBytes - included.bytes;
    const tx = candidates.next({
      gas: Number(plan.gasLimit) - included.gasUsed,
      blobs: maxBlobs - included.blobs,
      bytes,
    });
    if (tx === undefined) return included;
    try {
      if (encodedBytes(tx) > bytes) throw TOO_LARGE;
      include(tx, await run(machine, environment, tx, included.gasUsed), environment, included);
    } catch (error) {
      candidates.refused(tx, error as Error);
    }
  }
}

function run(machine: Machine, block: LibraryBlock, tx: SignedTransaction, gasUsed: number): Promise<RunTxResult> {
  const options = { tx: tx.runnable, block, blockGasUsed: BigInt(gasUsed), skipHardForkValidation: true };
  return runTransaction(machine, options);
}

function include(tx: SignedTransaction, result: RunTxResult, { header }: LibraryBlock, included: Included): void {
  const charges = {
    baseFeePerGas: header.baseFeePerGas,
    blobGasPrice: tx.transaction.type === 3 ? header.getBlobGasPrice() : undefined,
  };
  const receipt = receiptOf(tx.transaction, result, charges, included.logs);
  included.transactions.push(tx);
  included.receipts.push(receipt);
  included.bytes += encodedBytes(tx);
  included.gasUsed = receipt.cumulativeGasUsed;
  included.logs += receipt.logs.length;
  included.blobs += tx.transaction.blobVersionedHashes?.length ?? 0;
}

const NO_UNCLES = keccak256(new Uint8Array([0xc0]));
const NO_NONCE = new Uint8Array(8);

function seal(plan: BlockPlan, included: Included, stateRoot: Bytes, requests: Bytes[] | undefined): MinedBlock {
  const { receipts } = included;
  const transactions = included.transactions.map(({ transaction }) => transaction);
  const draft: Draft<Header> = {
    number: plan.number,
    hash: EMPTY,
    parentHash: plan.parentHash,
    sha3Uncles: NO_UNCLES,
    miner: plan.miner,
    stateRoot,
    transactionsRoot: transactionsRoot(transactions),
    receiptsRoot: receiptsRoot(transactions, receipts),
    logsBloom: logsBloom(receipts.flatMap(({ logs }) => logs)),
    difficulty: EMPTY,
    gasLimit: uintFromBigInt(plan.gasLimit),
    gasUsed: included.gasUsed,
    timestamp: plan.timestamp,
    extraData: plan.extraData,
    mixHash: plan.mixHash,
    nonce: NO_NONCE,
    baseFeePerGas: uintFromBigInt(plan.baseFeePerGas),
    withdrawalsRoot: withdrawalsRoot(plan.withdrawals),
    withdrawals: plan.withdrawals,
    blobGasUsed: included.blobs * BLOB_GAS,
    excessBlobGas: uintFromBigInt(plan.excessBlobGas),
    parentBeaconBlockRoot: plan.parentBeaconBlockRoot,
    size: 0,
    uncles: [],
  };
  if (requests !== undefined) draft.requestsHash = requestsHash(requests);
  draft.hash = headerHash(draft);
  const raw = included.transactions.map((tx) => tx.raw);
  draft.size = writeBlock(draft, raw, []).length;
  return { header: draft, transactions, receipts, raw, uncles: [], stateRoot, ...(requests && { requests }) };
}

/** RLP of header, transactions, uncles and withdrawals. */
export function encodeBlock(header: Header, raw: readonly Bytes[], uncles: readonly Bytes[]): Bytes {
  return writeBlock(header, raw, uncles).written.slice();
}

const writer = new RlpWriter();

export function writeBlock(header: Header, raw: readonly Bytes[], uncles: readonly Bytes[]): RlpWriter {
  writer.reset();
  if (header.withdrawals !== undefined) writer.list(header.withdrawals, writeWithdrawal);
  writer.list(uncles, (uncle) => writer.raw(uncle));
  writer.list(raw, writeEnveloped);
  writeHeader(header, writer);
  writer.closeList(0);
  return writer;
}

/** Legacy transactions are RLP lists, typed ones are strings (EIP-2718). */
function writeEnveloped(raw: Bytes, to: RlpWriter): void {
  if (itemAt(raw, 0) >= 0xc0) to.raw(raw);
  else to.string(raw);
}
