import type { Hash } from "node:crypto";
import { createHash } from "node:crypto";
import type { Block } from "../../chain/block/block.ts";
import { feeOf, sumBlock } from "../../chain/block/fees.ts";
import { canStandOn } from "../../chain/block/header.ts";
import type { Receipt } from "../../chain/block/receipt.ts";
import { createsContract } from "../../chain/block/receipt.ts";
import type { Transaction } from "../../chain/block/transaction.ts";
import type { Bytes } from "../../chain/encoding/bytes.ts";
import { ChainError } from "../../chain/error.ts";
import { settleAll } from "../../std/async.ts";
import { addExactly } from "../../std/numbers.ts";
import type { Dictionary } from "../dictionary/dictionary.ts";
import { prefixOf } from "../dictionary/dictionary.ts";
import type { Reader, Row, Writer } from "../engine/database.ts";
import { KeyEntries } from "../keys/keyEntries.ts";
import type { Tip } from "../read/blocks.ts";
import type { Account } from "../rows/account.ts";
import { NO_ACCOUNT } from "../rows/account.ts";
import type { Totals } from "../rows/blockBody.ts";
import { NO_TOTALS, readTotals, writeHeaderBody, writeTotals } from "../rows/blockBody.ts";
import { noteBlock } from "../rows/bodyIds.ts";
import type { CallCounters } from "../rows/callCounters.ts";
import { addCall, isPlain, NO_CALLS } from "../rows/callCounters.ts";
import { MAX_BODY_LENGTH } from "../rows/dividedBody.ts";
import { ByteWriter } from "../rows/encoding.ts";
import type { BodyIds } from "../rows/ids.ts";
import { IntegerPairs } from "../rows/integerPairs.ts";
import type { Position } from "../rows/position.ts";
import { listableLogs, logPosition, MAX_BLOCK, MAX_SLOTS, transactionPosition } from "../rows/position.ts";
import type { TransactionLocation } from "../rows/transactionBody.ts";
import { writeBody } from "../rows/transactionBody.ts";
import { blobKeys } from "../tables/blobs.ts";
import type { CoreTables } from "../tables/coreTables.ts";
import { OverflowRows } from "../tables/overflowRows.ts";
import type { TailCounters } from "../tables/tailCounters.ts";

/**
 * Converts consecutive blocks to rows. Blocks are consumed in parts; only `end` writes, inside the caller's
 * transaction. Rows that many blocks touch (lists, counters, indexes) are thus written once, in key order.
 */
export class Appender {
  readonly #tables: CoreTables;
  readonly #reducer: Reducer;
  readonly #journalFrom: number;

  /** Blocks from `journalFrom` on may be unwound. */
  constructor(tables: CoreTables, tip: Tip | undefined, journalFrom: number) {
    this.#tables = tables;
    this.#reducer = new Reducer(tables, tip);
    this.#journalFrom = journalFrom;
  }

  get tip(): Tip | undefined {
    return this.#reducer.tip;
  }

  /** Assigns ids to what the blocks name, which stages need. */
  async resolve(db: Reader, blocks: readonly Block[]): Promise<readonly BlockIds[]> {
    const headers = blocks.map(({ header }) => header);
    const [ids] = await settleAll([
      assignIds(db, this.#tables, blocks, this.tip?.totals ?? NO_TOTALS),
      this.#tables.miners.add(db, headers),
      this.#tables.days.load(db, this.tip),
    ]);
    return ids;
  }

  async add(db: Reader, blocks: readonly Block[], ids: readonly BlockIds[]): Promise<void> {
    if ((blocks.at(-1)?.header.number ?? 0) >= this.#journalFrom) await this.#loadCounters(db, blocks, ids);
    for (const [at, block] of blocks.entries()) {
      const { number } = block.header;
      const journaled = number >= this.#journalFrom ? number : undefined;
      this.#tables.sent.begin(journaled);
      this.#tables.called.begin(journaled);
      this.#reducer.add(block, ids[at]!);
    }
    this.#reducer.closePart();
  }

  /** The journal needs the values before a block. */
  async #loadCounters(db: Reader, blocks: readonly Block[], ids: readonly BlockIds[]): Promise<void> {
    const { senders, callees } = countedIds(blocks, ids);
    const isKnown = (id: number) => id < this.#reducer.firstNew;
    await settleAll([
      this.#tables.sent.load(db, senders.filter(isKnown)),
      this.#tables.called.load(db, callees.filter(isKnown)),
    ]);
  }

  finish(writer: Writer): Promise<void> {
    return this.#reducer.write(writer);
  }
}

interface BlockIds {
  readonly body: BodyIds;
  /** Ids assigned up to and including the block. */
  readonly addresses: number;
  readonly signatures: number;
  /** Values with new ids in this block. */
  readonly fresh: readonly Bytes[];
}

async function assignIds(
  db: Reader,
  tables: CoreTables,
  blocks: readonly Block[],
  before: Totals,
): Promise<BlockIds[]> {
  const { addresses, signatures } = tables.dictionaries;
  const noted = blocks.map((block) => ({
    body: noteBlock(block, tables.dictionaries),
    addresses: addresses.noted,
    signatures: signatures.noted,
  }));
  const known = { addresses: addresses.fresh, signatures: signatures.fresh };
  const marks = (of: "addresses" | "signatures") => noted.map((mark) => mark[of]);
  const [newAddresses, newSignatures] = await settleAll([
    addresses.load(db, before.addresses + 1, marks("addresses")),
    signatures.load(db, before.signatures + 1, marks("signatures")),
  ]);
  const freshIn = (dictionary: Dictionary, from: number, counts: readonly number[], at: number) =>
    dictionary.freshValues(from + (counts[at - 1] ?? 0), from + counts[at]!);
  return noted.map(({ body }, at) => ({
    body,
    addresses: before.addresses + newAddresses[at]!,
    signatures: before.signatures + newSignatures[at]!,
    fresh: [
      freshIn(addresses, known.addresses, newAddresses, at),
      freshIn(signatures, known.signatures, newSignatures, at),
    ],
  }));
}

/** Ids whose counters change. */
function countedIds(blocks: readonly Block[], ids: readonly BlockIds[]): { senders: number[]; callees: number[] } {
  const [senders, callees] = [new Set<number>(), new Set<number>()];
  for (const [at, { transactions, receipts }] of blocks.entries()) {
    const { parties } = ids[at]!.body;
    let party = 0;
    for (const [index, tx] of transactions.entries()) {
      const receipt = receipts[index]!;
      const from = parties.peek(party);
      senders.add(from);
      if (tx.to !== null && isCounted(tx, receipt, from, parties.peek(party + 1))) callees.add(parties.peek(party + 1));
      party += partiesOf(tx, receipt);
    }
  }
  return { senders: [...senders], callees: [...callees] };
}

const isCounted = (tx: Transaction, receipt: Receipt, from: number, to: number): boolean =>
  from === to || !isPlain(tx, receipt);

function partiesOf(tx: Transaction, receipt: Receipt): number {
  return 1 + (tx.to === null ? 0 : 1) + (receipt.contractAddress === null ? 0 : 1);
}

/** Converts blocks to rows, carrying totals and the digest along. */
class Reducer {
  tip: Tip | undefined;
  readonly #tables: CoreTables;
  /** Ids from here on have no rows yet. */
  readonly firstNew: number;
  readonly #firstNewSignature: number;
  #bodies = new ByteWriter(1 << 16);
  readonly #blocks: Row[] = [];
  readonly #times: Row[] = [];
  readonly #blockHashes = new KeyEntries();
  readonly #transactions: Row[] = [];
  readonly #transactionHashes = new KeyEntries();
  readonly #contracts = new IntegerPairs();
  readonly #blobs = new KeyEntries();
  readonly #blobTransactions: Row[] = [];
  readonly #overflow = new OverflowRows();
  /** Logs without a position, per block. */
  readonly #unlisted: Row[] = [];

  constructor(tables: CoreTables, tip: Tip | undefined) {
    this.#tables = tables;
    this.tip = tip;
    const { addresses, signatures } = tip?.totals ?? NO_TOTALS;
    this.firstNew = addresses + 1;
    this.#firstNewSignature = signatures + 1;
  }

  add(block: Block, ids: BlockIds): void {
    const { header, transactions } = block;
    expectIndexable(header.number);
    expectJoin(this.tip, block);
    const count = transactions.length;
    if (count > MAX_SLOTS) {
      throw new ChainError("limit_exceeded", `block ${header.number} has over ${MAX_SLOTS} transactions`);
    }
    const listable = listableLogs(count);
    const start = this.#bodies.length;
    const contractsBefore = this.#contracts.length;
    const sums = sumBlock(block);
    let logs = 0;
    for (const [index, tx] of transactions.entries()) {
      const receipt = block.receipts[index]!;
      this.#addLogs(receipt, ids.body, logPosition(header.number, index, logs), listable - logs);
      countSender(this.#tables.sent, ids.body.parties.peek(0), tx, receipt);
      if (tx.to !== null) countCall(this.#tables.called, ids.body, tx, receipt);
      const place = { index, firstLog: logs > listable ? logs : undefined };
      this.#addTransaction(tx, receipt, place, ids.body, transactionPosition(header.number, index, logs, count));
      logs += receipt.logs.length;
    }
    if (logs > listable) this.#unlisted.push([header.number, logs - listable]);
    const before = this.tip?.totals ?? NO_TOTALS;
    const totals = writeTotals({
      transactions: before.transactions + sums.transactions,
      logs: before.logs + sums.logs,
      addresses: ids.addresses,
      signatures: ids.signatures,
      contracts: before.contracts + this.#contracts.length - contractsBefore,
      gasUsed: addExactly(before.gasUsed, header.gasUsed),
    });
    const body = writeHeaderBody(header, sums);
    const digest = nextDigest(this.tip?.digest, [body, totals, this.#bodies.view(start), ...ids.fresh]);
    this.#blocks.push([header.number, body, totals, digest]);
    this.#blockHashes.add(prefixOf(header.hash), header.number);
    const { number, hash, timestamp } = header;
    const latest = Math.max(this.tip?.latest ?? 0, timestamp);
    if (timestamp < latest) this.#times.push([number, latest]);
    this.#tables.days.begin(number, latest);
    this.tip = { number, hash, timestamp, latest, totals: readTotals(totals), digest };
  }

  /** Lists peek at ids that encoding the body then consumes. */
  #addTransaction(
    tx: Transaction,
    receipt: Receipt,
    place: TransactionLocation,
    ids: BodyIds,
    position: Position,
  ): void {
    const { addressTransactions } = this.#tables;
    addressTransactions.addOnce(ids.parties.peek(0), position);
    if (tx.to !== null) addressTransactions.addOnce(ids.parties.peek(1), position);
    if (createsContract(receipt)) {
      const contract = ids.parties.peek(tx.to === null ? 1 : 2);
      addressTransactions.addOnce(contract, position);
      this.#contracts.add(contract, position);
    }
    const start = this.#bodies.length;
    writeBody(tx, receipt, place, ids, this.#bodies);
    const body = this.#bodies.view(start);
    this.#transactions.push([position, body.length > MAX_BODY_LENGTH ? this.#overflow.divide(position, body) : body]);
    this.#transactionHashes.add(prefixOf(tx.hash), position);
    const blobs = blobKeys(tx);
    if (blobs.size > 0) this.#blobTransactions.push([position]);
    for (const key of blobs) this.#blobs.add(key, position);
  }

  /** Only the next `listable` ones of the block. */
  #addLogs({ logs }: Receipt, ids: BodyIds, firstPosition: number, listable: number): void {
    let signature = 0;
    for (const [at, log] of logs.entries()) {
      if (at >= listable) return;
      const id = log.topics.length === 0 ? 0 : ids.signatures.peek(signature++);
      this.#tables.logs.add(ids.emitters.peek(at), id, firstPosition + at);
    }
  }

  /** Rows are views of the buffer, which must not grow forever. */
  closePart(): void {
    this.#bodies = new ByteWriter(this.#bodies.length);
  }

  async write(writer: Writer): Promise<void> {
    const { dictionaries, keys, logs, miners } = this.#tables;
    await writer.insert("block", ["number", "body", "totals", "digest"], this.#blocks);
    await writer.insert("block_time", ["number", "latest"], this.#times);
    await writer.insert("tx", ["position", "body"], this.#transactions);
    await this.#overflow.write(writer);
    await writer.insert("unlisted_log", ["block", "count"], this.#unlisted);
    await writer.insert("contract", ["address", "position"], this.#contracts.sorted());
    await writer.insert("blob_tx", ["position"], this.#blobTransactions);
    await settleAll([
      keys.blocks.add(writer, this.#blockHashes),
      keys.transactions.add(writer, this.#transactionHashes),
      keys.blobs.add(writer, this.#blobs),
      dictionaries.addresses.flush(writer),
      dictionaries.signatures.flush(writer),
      this.#writeParties(writer),
      logs.flush(writer, { addresses: this.firstNew, signatures: this.#firstNewSignature }),
      miners.flush(writer),
    ]);
  }

  async #writeParties(writer: Writer): Promise<void> {
    const { addressTransactions, sent, called, days } = this.#tables;
    await addressTransactions.flush(writer, this.firstNew);
    await days.flush(writer);
    await sent.flushJournal(writer);
    await called.flushJournal(writer);
  }
}

function expectIndexable(number: number): void {
  if (number <= MAX_BLOCK) return;
  throw new ChainError("limit_exceeded", `block ${number} is above ${MAX_BLOCK}, the highest that can be indexed`);
}

function expectJoin(tip: Tip | undefined, { header }: Block): void {
  if (tip === undefined) return;
  if (canStandOn(header, tip)) return;
  throw new ChainError("internal", `block ${header.number} does not join on to ${tip.number}`);
}

function countSender(senders: TailCounters<Account>, id: number, tx: Transaction, receipt: Receipt): void {
  const { sent, gasUsed, fees } = senders.get(id) ?? NO_ACCOUNT;
  senders.set(id, { sent: sent + 1, gasUsed: addExactly(gasUsed, receipt.gasUsed), fees: fees + feeOf(tx, receipt) });
}

function countCall(called: TailCounters<CallCounters>, { parties }: BodyIds, tx: Transaction, receipt: Receipt): void {
  const [from, to] = [parties.peek(0), parties.peek(1)];
  if (!isCounted(tx, receipt, from, to)) return;
  const isOther = from !== to && !(createsContract(receipt) && parties.peek(2) === to);
  called.set(to, addCall(called.get(to) ?? NO_CALLS, receipt.gasUsed, isOther));
}

/** Chained digest over the rows of a block, so that two stores compare by one value. Covers undivided bodies. */
export function nextDigest(previous: Bytes | undefined, rows: readonly Bytes[]): Bytes {
  const digest = beginDigest(previous);
  for (const row of rows) digest.update(row);
  return new Uint8Array(digest.digest());
}

/** Incremental form of `nextDigest`. */
export function beginDigest(previous: Bytes | undefined): Hash {
  const hash = createHash("sha256");
  return previous === undefined ? hash : hash.update(previous);
}
