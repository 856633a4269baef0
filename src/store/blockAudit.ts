import { isDeepStrictEqual } from "node:util";
import type { Bytes } from "../chain/bytes.ts";
import { equalBytes } from "../chain/bytes.ts";
import { addExactly } from "../chain/exactSum.ts";
import type { BlockSums } from "../chain/fees.ts";
import { sumBlock } from "../chain/fees.ts";
import { toHex } from "../chain/hex.ts";
import type { Receipt } from "../chain/receipt.ts";
import { nextDigest } from "./append.ts";
import type { AuditReport } from "./auditReport.ts";
import { blobKeys } from "./blobs.ts";
import type { Totals } from "./blockBody.ts";
import { NO_TOTALS, writeHeaderBody, writeTotals } from "./blockBody.ts";
import type { StoredBlock, Tip } from "./blocks.ts";
import { prefixOf } from "./dictionary.ts";
import { expectFindable } from "./dictionaryAudit.ts";
import type { Engine } from "./engine/engine.ts";
import type { TransactionFacts } from "./facts.ts";
import { readFacts } from "./facts.ts";
import { firstPosition, transactionPosition } from "./position.ts";
import type { Store } from "./store.ts";

/** What follows from one block and the block before it: its rows, its digest, and the indexes that find them. */
export class BlockAudit {
  readonly #report: AuditReport;
  readonly #store: Store;
  readonly #engine: Engine;
  #last: Tip | undefined;
  /** Rows that the blocks must have in tables that say less than they do. */
  readonly rows = { blob: 0, contract: 0, block_time: 0 };

  /** The next block is the first one that is indexed, or the one after `last`. */
  constructor(store: Store, report: AuditReport, last?: Tip) {
    this.#report = report;
    this.#store = store;
    this.#engine = store.engine;
    this.#last = last;
  }

  get last(): Tip | undefined {
    return this.#last;
  }

  async block(block: Tip & StoredBlock): Promise<TransactionFacts[]> {
    const { number, header } = block;
    const isJoined = this.#last === undefined || equalBytes(header.parentHash, this.#last.hash);
    this.#expect(isJoined, `block ${number} does not join`);
    const sql = "SELECT position, body FROM tx WHERE position >= ? AND position < ? ORDER BY position";
    const rows = (await this.#engine.all(sql, firstPosition(number), firstPosition(number + 1))) as [number, Bytes][];
    const all: TransactionFacts[] = [];
    let logs = 0;
    for (const [index, [position, body]] of rows.entries()) {
      const facts = readFacts(this.#engine, position, body);
      const isPlaced = position === transactionPosition(number, index, logs) && facts.index === index;
      this.#expect(isPlaced, `transaction ${index} of block ${number} is out of place`);
      this.#expectKnown(facts, block.totals.addresses);
      await this.#expectFound(facts);
      logs += facts.emitters.length;
      all.push(facts);
    }
    this.#expect(isDeepStrictEqual(block.sums, sumFacts(all)), `block ${number} has wrong sums`);
    this.#expect(isDeepStrictEqual(block.totals, this.#totals(block, all)), `block ${number} has wrong totals`);
    this.#expectTime(block);
    await this.#expectIndexed("block_hash", "number", header.hash, number);
    const bodies = rows.map(([, body]) => body);
    await this.#expectDigest(block, bodies);
    this.#last = block;
    return all;
  }

  #expect(holds: boolean, problem: string): void {
    this.#report.expect(holds, problem);
  }

  #totals({ totals, header }: Tip & StoredBlock, all: readonly TransactionFacts[]): Totals {
    const before = this.#last?.totals ?? NO_TOTALS;
    return {
      transactions: before.transactions + all.length,
      logs: all.reduce((logs, { emitters }) => logs + emitters.length, before.logs),
      addresses: totals.addresses,
      signatures: totals.signatures,
      contracts: before.contracts + all.filter(({ contract }) => contract !== undefined).length,
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

  /** A transaction is found by its hash, its blobs and the contract it made. */
  async #expectFound({ transaction, position, contract }: TransactionFacts): Promise<void> {
    await this.#expectIndexed("tx_hash", "position", transaction.hash, position);
    for (const key of blobKeys(transaction)) {
      const [row] = await this.#engine.all("SELECT 1 FROM blob WHERE prefix = ? AND position = ?", key, position);
      this.#expect(row !== undefined, `${toHex(transaction.hash)} is not found by its blobs`);
      this.rows.blob++;
    }
    if (contract === undefined) return;
    const sql = "SELECT 1 FROM contract WHERE address = ? AND position = ?";
    const [row] = await this.#engine.all(sql, contract, position);
    this.#expect(row !== undefined, `the contract that ${toHex(transaction.hash)} made is not known as one`);
    this.rows.contract++;
  }

  async #expectIndexed(table: string, column: string, hash: Bytes, value: number): Promise<void> {
    const sql = `SELECT 1 FROM ${table} WHERE prefix = ? AND ${column} = ?`;
    const [row] = await this.#engine.all(sql, prefixOf(hash), value);
    this.#expect(row !== undefined, `${toHex(hash)} is not in ${table}`);
  }

  async #expectDigest(block: Tip & StoredBlock, bodies: readonly Bytes[]): Promise<void> {
    const fresh = [
      ...(await this.#given("address", this.#last?.totals.addresses ?? 0, block.totals.addresses)),
      ...(await this.#given("signature", this.#last?.totals.signatures ?? 0, block.totals.signatures)),
    ];
    const rows = [writeHeaderBody(block.header, block.sums), writeTotals(block.totals), ...bodies, ...fresh];
    const digest = nextDigest(this.#last?.digest, rows);
    this.#expect(equalBytes(digest, block.digest), `block ${block.number} has another digest than its rows`);
  }

  async #given(table: string, after: number, upTo: number): Promise<Bytes[]> {
    const sql = `SELECT id, value FROM ${table} WHERE id > ? AND id <= ? ORDER BY id`;
    const rows = (await this.#engine.all(sql, after, upTo)) as [number, Bytes][];
    await expectFindable(this.#report, this.#store, table, new Map(rows));
    return rows.map(([, value]) => value);
  }
}

function sumFacts(facts: readonly TransactionFacts[]): BlockSums {
  const receipts = facts.map(({ receipt }) => receipt as Receipt);
  return sumBlock({ transactions: facts.map(({ transaction }) => transaction), receipts });
}
