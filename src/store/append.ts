import { createHash } from "node:crypto";
import type { Block } from "../chain/block.ts";
import type { Bytes } from "../chain/bytes.ts";
import { equalBytes } from "../chain/bytes.ts";
import { ChainError } from "../chain/error.ts";
import type { Receipt } from "../chain/receipt.ts";
import type { Transaction } from "../chain/transaction.ts";
import { uintFromBigInt, uintToBigInt } from "../chain/uint.ts";
import { readAccount, writeAccount } from "./account.ts";
import type { Totals } from "./blockBody.ts";
import { NO_TOTALS, readTotals, writeHeaderBody, writeTotals } from "./blockBody.ts";
import type { Tip } from "./blocks.ts";
import type { CoreTables } from "./core.ts";
import { prefixOf } from "./dictionary.ts";
import { ByteWriter } from "./encoding.ts";
import type { Row } from "./engine/engine.ts";
import { noteLog } from "./logBody.ts";
import { logPosition, MAX_SLOTS, transactionPosition } from "./position.ts";
import { writeBody } from "./transactionBody.ts";

/**
 * Writes consecutive blocks that join on to the tip, inside the caller's transaction. Everything a batch touches is
 * loaded with a few queries, reduced in memory and written in bulk in the order of the keys.
 *
 * Blocks from `journalFrom` on may still be unwound, so what they overwrite is kept.
 */
export async function appendBlocks(
  tables: CoreTables,
  tip: Tip | undefined,
  blocks: readonly Block[],
  journalFrom: number,
): Promise<Tip> {
  const ids = await giveIds(tables, blocks, tip?.totals ?? NO_TOTALS);
  await tables.accounts.load(senderIds(tables, blocks));
  const reducer = new Reducer(tables, tip);
  blocks.forEach((block, at) => {
    tables.accounts.begin(block.header.number >= journalFrom ? block.header.number : undefined);
    reducer.add(block, ids[at]!);
  });
  await reducer.write();
  return reducer.tip!;
}

/** How many ids each dictionary has given out after a block, and the values that were new in it. */
interface GivenIds {
  readonly addresses: number;
  readonly signatures: number;
  readonly fresh: readonly Bytes[];
}

/** Notes every address and signature in the order of the chain, so that ids do not depend on how it was batched. */
async function giveIds(tables: CoreTables, blocks: readonly Block[], before: Totals): Promise<GivenIds[]> {
  const { addresses, signatures } = tables.dictionaries;
  const marks = blocks.map((block) => {
    noteBlock(tables, block);
    return { addresses: addresses.noted, signatures: signatures.noted };
  });
  const given = {
    addresses: await addresses.load(
      before.addresses + 1,
      marks.map((mark) => mark.addresses),
    ),
    signatures: await signatures.load(
      before.signatures + 1,
      marks.map((mark) => mark.signatures),
    ),
  };
  const freshIn = (rows: readonly Row[], counts: readonly number[], at: number) =>
    rows.slice(counts[at - 1] ?? 0, counts[at]).map((row) => row[1] as Bytes);
  return marks.map((_, at) => ({
    addresses: before.addresses + given.addresses[at]!,
    signatures: before.signatures + given.signatures[at]!,
    fresh: [...freshIn(addresses.fresh, given.addresses, at), ...freshIn(signatures.fresh, given.signatures, at)],
  }));
}

function noteBlock(tables: CoreTables, block: Block): void {
  const { addresses } = tables.dictionaries;
  block.transactions.forEach((tx, index) => {
    const receipt = block.receipts[index]!;
    addresses.note(tx.from);
    if (tx.to !== null) addresses.note(tx.to);
    if (receipt.contractAddress !== null) addresses.note(receipt.contractAddress);
    for (const log of receipt.logs) noteLog(log, tables.dictionaries);
  });
}

function senderIds(tables: CoreTables, blocks: readonly Block[]): number[] {
  const ids = new Set<number>();
  for (const block of blocks) for (const tx of block.transactions) ids.add(tables.dictionaries.addresses.id(tx.from));
  return [...ids];
}

/** Turns blocks into rows, one after another, carrying the totals and the digest along. */
class Reducer {
  tip: Tip | undefined;
  readonly #tables: CoreTables;
  readonly #firstNew: number;
  readonly #bodies = new ByteWriter(1 << 16);
  readonly #blocks: Row[] = [];
  readonly #blockHashes: Row[] = [];
  readonly #transactions: Row[] = [];
  readonly #transactionHashes: Row[] = [];
  readonly #contracts: Row[] = [];

  constructor(tables: CoreTables, tip: Tip | undefined) {
    this.#tables = tables;
    this.tip = tip;
    this.#firstNew = (tip?.totals ?? NO_TOTALS).addresses + 1;
  }

  add(block: Block, ids: GivenIds): void {
    const { header, transactions } = block;
    expectJoin(this.tip, block);
    const start = this.#bodies.length;
    const contractsBefore = this.#contracts.length;
    let logs = 0;
    let fees = 0n;
    transactions.forEach((tx, index) => {
      const receipt = block.receipts[index]!;
      this.#addTransaction(tx, receipt, index, transactionPosition(header.number, index, logs));
      this.#addLogs(receipt, logPosition(header.number, index, logs));
      fees += countSender(this.#tables, tx, receipt);
      logs += receipt.logs.length;
    });
    if (transactions.length + logs >= MAX_SLOTS) {
      throw new ChainError("limit_exceeded", `block ${header.number} has over ${MAX_SLOTS} transactions and logs`);
    }
    const before = this.tip?.totals ?? NO_TOTALS;
    const totals = writeTotals({
      transactions: before.transactions + transactions.length,
      logs: before.logs + logs,
      addresses: ids.addresses,
      signatures: ids.signatures,
      contracts: before.contracts + this.#contracts.length - contractsBefore,
      gasUsed: before.gasUsed + header.gasUsed,
    });
    const body = writeHeaderBody(header, { transactions: transactions.length, logs, fees: uintFromBigInt(fees) });
    const digest = nextDigest(this.tip?.digest, [body, totals, this.#bodies.view(start), ...ids.fresh]);
    this.#blocks.push([header.number, body, totals, digest]);
    this.#blockHashes.push([prefixOf(header.hash), header.number]);
    const { number, hash, timestamp } = header;
    this.tip = { number, hash, timestamp, totals: readTotals(totals), digest };
  }

  #addTransaction(tx: Transaction, receipt: Receipt, index: number, position: number): void {
    const { addresses } = this.#tables.dictionaries;
    const { addressTransactions } = this.#tables;
    const start = this.#bodies.length;
    writeBody(tx, receipt, index, this.#tables.dictionaries, this.#bodies);
    this.#transactions.push([position, this.#bodies.view(start)]);
    this.#transactionHashes.push([prefixOf(tx.hash), position]);
    addressTransactions.addOnce(addresses.id(tx.from), position);
    if (tx.to !== null) addressTransactions.addOnce(addresses.id(tx.to), position);
    if (!createsContract(receipt)) return;
    const contract = addresses.id(receipt.contractAddress!);
    addressTransactions.addOnce(contract, position);
    this.#contracts.push([contract, position]);
  }

  #addLogs(receipt: Receipt, firstPosition: number): void {
    const { addresses, signatures } = this.#tables.dictionaries;
    let position = firstPosition;
    for (const log of receipt.logs) {
      const signature = log.topics.length === 0 ? 0 : signatures.id(log.topics, 0);
      this.#tables.addressLogs.add(addresses.id(log.address), position++, signature);
    }
  }

  async write(): Promise<void> {
    const { engine, dictionaries, addressTransactions, addressLogs, accounts } = this.#tables;
    const byKey = (a: Row, b: Row) => (a[0] as number) - (b[0] as number) || (a[1] as number) - (b[1] as number);
    await engine.insert("block", ["number", "body", "totals", "digest"], this.#blocks);
    await engine.insert("block_hash", ["prefix", "number"], this.#blockHashes.sort(byKey));
    await engine.insert("tx", ["position", "body"], this.#transactions);
    await engine.insert("tx_hash", ["prefix", "position"], this.#transactionHashes.sort(byKey));
    await engine.insert("contract", ["address", "position"], this.#contracts.sort(byKey));
    await dictionaries.addresses.flush();
    await dictionaries.signatures.flush();
    await addressTransactions.flush(this.#firstNew);
    await addressLogs.flush(this.#firstNew);
    await accounts.flush();
  }
}

/** A receipt names an address for a creation that failed, too. */
export function createsContract(receipt: Pick<Receipt, "contractAddress" | "status">): boolean {
  return receipt.contractAddress !== null && receipt.status !== 0;
}

function expectJoin(tip: Tip | undefined, { header }: Block): void {
  if (tip === undefined) return;
  if (header.number === tip.number + 1 && equalBytes(header.parentHash, tip.hash)) return;
  throw new ChainError("internal", `block ${header.number} does not join on to ${tip.number}`);
}

/** What a transaction cost its sender: gas, and blob gas where it carried blobs. */
export function feeOf(tx: Transaction, receipt: Omit<Receipt, "logsBloom">): bigint {
  const price = receipt.effectiveGasPrice ?? tx.gasPrice;
  const fee = price === undefined ? 0n : uintToBigInt(price) * BigInt(receipt.gasUsed);
  if (receipt.blobGasPrice === undefined) return fee;
  return fee + uintToBigInt(receipt.blobGasPrice) * BigInt(receipt.blobGasUsed ?? 0);
}

function countSender(tables: CoreTables, tx: Transaction, receipt: Receipt): bigint {
  const id = tables.dictionaries.addresses.id(tx.from);
  const fee = feeOf(tx, receipt);
  const { sent, gasUsed, fees } = readAccount(tables.accounts.get(id));
  tables.accounts.set(id, writeAccount({ sent: sent + 1, gasUsed: gasUsed + receipt.gasUsed, fees: fees + fee }));
  return fee;
}

/** Chains the digest of a block's rows to that of the block before, so that two stores compare by one value. */
export function nextDigest(previous: Bytes | undefined, rows: readonly Bytes[]): Bytes {
  const hash = createHash("sha256");
  if (previous !== undefined) hash.update(previous);
  for (const row of rows) hash.update(row);
  return new Uint8Array(hash.digest());
}
