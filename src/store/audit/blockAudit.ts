import type { Hash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import type { BlockSums } from "../../chain/block/fees.ts";
import { sumBlock } from "../../chain/block/fees.ts";
import { canStandOn } from "../../chain/block/header.ts";
import type { Receipt } from "../../chain/block/receipt.ts";
import type { Bytes } from "../../chain/encoding/bytes.ts";
import { equalBytes } from "../../chain/encoding/bytes.ts";
import { toHex } from "../../chain/encoding/hex.ts";
import { addExactly } from "../../std/numbers.ts";
import { prefixOf } from "../dictionary/dictionary.ts";
import type { Reader } from "../engine/database.ts";
import { hasEntry } from "../keys/keyReads.ts";
import type { KeyTable } from "../keys/keyTable.ts";
import { BLOB_KEYS, BLOCK_KEYS, TRANSACTION_KEYS } from "../keys/keyTable.ts";
import type { StoredBlock, Tip } from "../read/blocks.ts";
import type { CoreReads } from "../read/coreReads.ts";
import type { TransactionFacts } from "../read/facts.ts";
import { readFacts } from "../read/facts.ts";
import type { Totals } from "../rows/blockBody.ts";
import { NO_TOTALS, writeHeaderBody, writeTotals } from "../rows/blockBody.ts";
import { NO_OVERFLOW, readRowHead } from "../rows/bodyParts.ts";
import type { DividedBody } from "../rows/dividedBody.ts";
import { divideBody, joinBody, MAX_BODY_LENGTH } from "../rows/dividedBody.ts";
import type { Position } from "../rows/position.ts";
import { firstPosition, listableLogs, transactionPosition } from "../rows/position.ts";
import { blobKeys } from "../tables/blobs.ts";
import { readOverflow } from "../tables/overflowRows.ts";
import { beginDigest } from "../write/append.ts";
import type { AuditReport } from "./auditReport.ts";
import { expectFindable } from "./dictionaryAudit.ts";

/** Everything derived from a block and its parent: rows, digest, hash indexes. */
export class BlockAudit {
  readonly #report: AuditReport;
  readonly #session: CoreReads;
  readonly #db: Reader;
  #last: Tip | undefined;
  /** Expected row counts for the blocks seen so far. */
  readonly rows = { blob_hash: 0, blob_tx: 0, contract: 0, block_time: 0, tx_part: 0, log_chunk: 0, unlisted_log: 0 };

  /** Starts at the first indexed block, or after `last`. */
  constructor(session: CoreReads, report: AuditReport, last?: Tip) {
    this.#report = report;
    this.#session = session;
    this.#db = session.db;
    this.#last = last;
  }

  get last(): Tip | undefined {
    return this.#last;
  }

  /** `each` receives facts one at a time, since together they may be large. */
  async block(block: Tip & StoredBlock, each: (facts: TransactionFacts) => void = () => {}): Promise<void> {
    const { number, header } = block;
    const isJoined = this.#last === undefined || canStandOn(header, this.#last);
    this.#expect(isJoined, `block ${number} does not join`);
    const digest = beginDigest(this.#last?.digest);
    for (const row of [writeHeaderBody(header, block.sums), writeTotals(block.totals)]) digest.update(row);
    const { sums, contracts } = await this.#transactions(block, digest, each);
    this.#expect(isDeepStrictEqual(block.sums, sums), `block ${number} has wrong sums`);
    const totals = this.#totals(block, sums, contracts);
    this.#expect(isDeepStrictEqual(block.totals, totals), `block ${number} has wrong totals`);
    this.#expectTime(block);
    await this.#expectIndexed(BLOCK_KEYS, header.hash, number);
    await this.#expectUnlisted(number, sums);
    await this.#expectDigest(block, digest);
    this.#last = block;
  }

  async #transactions(block: Tip & StoredBlock, digest: Hash, each: (facts: TransactionFacts) => void) {
    const { number } = block;
    const sql = "SELECT position, body FROM tx WHERE position >= ? AND position < ? ORDER BY position";
    const rows = await this.#db.all<[number, Bytes]>(sql, firstPosition(number), firstPosition(number + 1));
    let sums = NO_SUMS;
    let contracts = 0;
    for (const [index, [position, row]] of rows.entries()) {
      const body = await this.#wholeBody(position, row);
      digest.update(body);
      const facts = readFacts(this.#db, position, body);
      const expected = transactionPosition(number, index, sums.logs, block.sums.transactions);
      const isInOrder = position === expected && facts.index === index && hasFirstLog(facts, sums.logs);
      this.#expect(isInOrder, `transaction ${index} of block ${number} is out of place`);
      this.#expectKnown(facts, block.totals.addresses);
      await this.#expectFound(facts);
      contracts += facts.contract === undefined ? 0 : 1;
      sums = addSums(sums, sumBlock({ transactions: [facts.transaction], receipts: [facts.receipt as Receipt] }));
      each(facts);
    }
    return { sums, contracts };
  }

  /** The division of a long row is canonical. */
  async #wholeBody(position: Position, row: Bytes): Promise<Bytes> {
    if (row.length <= MAX_BODY_LENGTH && readRowHead(row).overflow === NO_OVERFLOW) return row;
    const stored = { row, ...(await readOverflow(this.#db, position)) };
    const body = joinBody(stored);
    const isDivided = body.length > MAX_BODY_LENGTH && isDeepStrictEqual(sorted(divideBody(body)), sorted(stored));
    this.#expect(isDivided, `the transaction at ${position} is not divided as it should be`);
    this.rows.tx_part += stored.parts.length;
    this.rows.log_chunk += stored.chunks.length;
    return body;
  }

  async #expectUnlisted(number: number, { transactions, logs }: BlockSums): Promise<void> {
    const [row] = await this.#db.all("SELECT count FROM unlisted_log WHERE block = ?", number);
    const expected = Math.max(logs - listableLogs(transactions), 0);
    this.#expect((row?.[0] ?? 0) === expected, `block ${number} says wrongly how many of its logs are in no list`);
    if (row !== undefined) this.rows.unlisted_log++;
  }

  #expect(holds: boolean, problem: string): void {
    this.#report.expect(holds, problem);
  }

  #totals({ totals, header }: Tip & StoredBlock, sums: BlockSums, contracts: number): Totals {
    const before = this.#last?.totals ?? NO_TOTALS;
    return {
      transactions: before.transactions + sums.transactions,
      logs: before.logs + sums.logs,
      addresses: totals.addresses,
      signatures: totals.signatures,
      contracts: before.contracts + contracts,
      gasUsed: addExactly(before.gasUsed, header.gasUsed),
    };
  }

  #expectTime({ number, latest, header }: Tip & StoredBlock): void {
    const expected = Math.max(this.#last?.latest ?? 0, header.timestamp);
    this.#expect(latest === expected, `block ${number} has another latest time than the blocks up to it`);
    if (expected > header.timestamp) this.rows.block_time++;
  }

  #expectKnown({ parties, emitters, transaction }: TransactionFacts, addresses: number): void {
    const isKnown = (id: number) => id >= 1 && id <= addresses;
    const areKnown = parties.every(isKnown) && emitters.every(({ owner }) => isKnown(owner));
    this.#expect(areKnown, `${toHex(transaction.hash)} names an address that no block up to it has`);
  }

  /** Checks the indexes by hash, blob and contract. */
  async #expectFound({ transaction, position, contract }: TransactionFacts): Promise<void> {
    await this.#expectIndexed(TRANSACTION_KEYS, transaction.hash, position);
    const blobs = blobKeys(transaction);
    for (const key of blobs) {
      const isFound = await hasEntry(this.#db, BLOB_KEYS, key, position);
      this.#expect(isFound, `${toHex(transaction.hash)} is not found by its blobs`);
    }
    this.rows.blob_hash += blobs.size;
    if (blobs.size > 0) {
      const [row] = await this.#db.all("SELECT 1 FROM blob_tx WHERE position = ?", position);
      this.#expect(row !== undefined, `${toHex(transaction.hash)} is not among the blob transactions`);
      this.rows.blob_tx++;
    }
    if (contract === undefined) return;
    const sql = "SELECT 1 FROM contract WHERE address = ? AND position = ?";
    const [row] = await this.#db.all(sql, contract, position);
    this.#expect(row !== undefined, `the contract that ${toHex(transaction.hash)} made is not known as one`);
    this.rows.contract++;
  }

  async #expectIndexed(table: KeyTable, hash: Bytes, value: number): Promise<void> {
    const isFound = await hasEntry(this.#db, table, prefixOf(hash), value);
    this.#expect(isFound, `${toHex(hash)} is not in ${table.name}`);
  }

  async #expectDigest(block: Tip & StoredBlock, digest: Hash): Promise<void> {
    const fresh = [
      ...(await this.#given("address", this.#last?.totals.addresses ?? 0, block.totals.addresses)),
      ...(await this.#given("signature", this.#last?.totals.signatures ?? 0, block.totals.signatures)),
    ];
    for (const value of fresh) digest.update(value);
    this.#expect(equalBytes(digest.digest(), block.digest), `block ${block.number} has another digest than its rows`);
  }

  async #given(table: string, after: number, upTo: number): Promise<Bytes[]> {
    const sql = `SELECT id, value FROM ${table} WHERE id > ? AND id <= ? ORDER BY id`;
    const rows = await this.#db.all<[number, Bytes]>(sql, after, upTo);
    await expectFindable(this.#report, this.#session, table, new Map(rows));
    return rows.map(([, value]) => value);
  }
}

const NO_SUMS: BlockSums = { transactions: 0, logs: 0, blobTransactions: 0, fees: 0n, blobFees: 0n };

function addSums(a: BlockSums, b: BlockSums): BlockSums {
  return {
    transactions: a.transactions + b.transactions,
    logs: a.logs + b.logs,
    blobTransactions: a.blobTransactions + b.blobTransactions,
    fees: a.fees + b.fees,
    blobFees: a.blobFees + b.blobFees,
  };
}

function hasFirstLog({ receipt: { logs } }: TransactionFacts, expected: number): boolean {
  return logs[0] === undefined || logs[0].logIndex === expected;
}

function sorted({ row, parts, chunks }: DividedBody): unknown {
  const plain = (rows: DividedBody["parts"]) =>
    rows.map(([key, body]) => [key, Buffer.from(body)] as const).toSorted(([a], [b]) => a - b);
  return [Buffer.from(row), plain(parts), plain(chunks)];
}
