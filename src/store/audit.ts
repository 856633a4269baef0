import type { Hash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import type { Bytes } from "../chain/bytes.ts";
import { equalBytes } from "../chain/bytes.ts";
import type { BlockSums } from "../chain/fees.ts";
import { feeOf, sumBlock } from "../chain/fees.ts";
import { canStandOn } from "../chain/header.ts";
import { toHex } from "../chain/hex.ts";
import type { Receipt } from "../chain/receipt.ts";
import type { Account } from "./account.ts";
import { accountCodec, NO_ACCOUNT } from "./account.ts";
import { beginDigest } from "./append.ts";
import { AuditReport } from "./auditReport.ts";
import { blobKeys } from "./blobs.ts";
import type { Totals } from "./blockBody.ts";
import { NO_TOTALS, writeHeaderBody, writeTotals } from "./blockBody.ts";
import type { StoredBlock, Tip } from "./blocks.ts";
import { NOTHING_APART, readRowHead } from "./bodyParts.ts";
import { addressLogs, addressTransactions } from "./core.ts";
import { prefixOf } from "./dictionary.ts";
import { expectFindable } from "./dictionaryAudit.ts";
import type { Engine } from "./engine/engine.ts";
import type { TransactionFacts } from "./facts.ts";
import { readFacts } from "./facts.ts";
import type { Outlines } from "./listAudit.ts";
import { compareLists, extendOf } from "./listAudit.ts";
import type { DividedBody } from "./longRows.ts";
import { divideBody, joinBody, LONGEST_BODY, readApart } from "./longRows.ts";
import { MinerAudit } from "./minerAudit.ts";
import { firstPosition, listableLogs, logPosition, transactionPosition } from "./position.ts";
import type { Store } from "./store.ts";

/** Recomputes counters, lists, indexes and digests from the stored facts; answers what does not agree. */
export async function auditStore(store: Store, onBlock: (number: number) => void = () => {}): Promise<string[]> {
  const report = new AuditReport();
  const auditor = new Auditor(store, report);
  await report.gather(async () => {
    for (let from = 0; ; ) {
      const blocks = await store.blocks.range(from, 100);
      if (blocks.length === 0) break;
      for (const block of blocks) await auditor.block(block);
      from = blocks.at(-1)!.number + 1;
      onBlock(from - 1);
    }
    await auditor.finish();
  });
  return report.problems;
}

class Auditor {
  readonly #report: AuditReport;
  readonly #store: Store;
  readonly #engine: Engine;
  readonly #transactions: Outlines = new Map();
  readonly #logs: Outlines = new Map();
  readonly #accounts = new Map<number, Account>();
  readonly #miners = new MinerAudit();
  #blobs = 0;
  #parts = 0;
  #chunks = 0;
  #unlisted = 0;
  #totals: Totals = NO_TOTALS;
  #last: Tip | undefined;

  constructor(store: Store, report: AuditReport) {
    this.#report = report;
    this.#store = store;
    this.#engine = store.engine;
  }

  async block(block: Tip & StoredBlock): Promise<void> {
    const { number, header } = block;
    this.#expect(this.#last === undefined || canStandOn(header, this.#last), `block ${number} does not join`);
    const digest = beginDigest(this.#last?.digest);
    for (const row of [writeHeaderBody(header, block.sums), writeTotals(block.totals)]) digest.update(row);
    const { sums, contracts } = await this.#transactionsOf(block, digest);
    this.#totals = {
      transactions: this.#totals.transactions + sums.transactions,
      logs: this.#totals.logs + sums.logs,
      addresses: block.totals.addresses,
      signatures: block.totals.signatures,
      contracts: this.#totals.contracts + contracts,
      gasUsed: this.#totals.gasUsed + header.gasUsed,
    };
    this.#expect(isDeepStrictEqual(block.sums, sums), `block ${number} has wrong sums`);
    this.#expect(JSON.stringify(this.#totals) === JSON.stringify(block.totals), `block ${number} has wrong totals`);
    await this.#expectIndexed("block_hash", "number", header.hash, number);
    await this.#expectUnlisted(number, sums);
    this.#miners.add(header);
    await this.#expectDigest(block, digest);
    this.#last = block;
  }

  /** Looks at the transactions of a block one after another: together they may be large. */
  async #transactionsOf({ number, sums: told }: Tip & StoredBlock, digest: Hash) {
    const sql = "SELECT position, body FROM tx WHERE position >= ? AND position < ? ORDER BY position";
    const rows = (await this.#engine.all(sql, firstPosition(number), firstPosition(number + 1))) as [number, Bytes][];
    let sums = NO_SUMS;
    let contracts = 0;
    for (const [index, [position, row]] of rows.entries()) {
      const body = await this.#wholeBody(position, row);
      digest.update(body);
      const facts = readFacts(this.#engine, position, body);
      const expected = transactionPosition(number, index, sums.logs, told.transactions);
      const isPlaced = position === expected && facts.index === index && hasFirstLog(facts, sums.logs);
      this.#expect(isPlaced, `transaction ${index} of block ${number} is out of place`);
      this.#count(facts, logPosition(number, index, sums.logs), listableLogs(told.transactions) - sums.logs);
      contracts += facts.contract === undefined ? 0 : 1;
      sums = addSums(sums, sumBlock({ transactions: [facts.transaction], receipts: [facts.receipt as Receipt] }));
      await this.#expectIndexed("tx_hash", "position", facts.transaction.hash, expected);
      await this.#expectBlobs(facts);
    }
    return { sums, contracts };
  }

  /** A long one is divided in one way alone. */
  async #wholeBody(position: number, row: Bytes): Promise<Bytes> {
    if (row.length <= LONGEST_BODY && readRowHead(row).apart === NOTHING_APART) return row;
    const stored = { row, ...(await readApart(this.#engine, position)) };
    const body = joinBody(stored);
    const isDivided = body.length > LONGEST_BODY && isDeepStrictEqual(sorted(divideBody(body)), sorted(stored));
    this.#expect(isDivided, `the transaction at ${position} is not divided as it should be`);
    this.#parts += stored.parts.length;
    this.#chunks += stored.chunks.length;
    return body;
  }

  async #expectUnlisted(number: number, { transactions, logs }: BlockSums): Promise<void> {
    const [row] = await this.#engine.all("SELECT count FROM unlisted_log WHERE block = ?", number);
    const expected = Math.max(logs - listableLogs(transactions), 0);
    this.#expect((row?.[0] ?? 0) === expected, `block ${number} says wrongly how many of its logs are in no list`);
    if (row !== undefined) this.#unlisted++;
  }

  async finish(): Promise<void> {
    const [transactions, logs] = [addressTransactions(this.#engine), addressLogs(this.#engine)];
    await compareLists(this.#report, transactions, this.#transactions, { what: "transactions", whose: "address" });
    await compareLists(this.#report, logs, this.#logs, { what: "logs", whose: "address" });
    await this.#compareAccounts();
    await this.#miners.compare(this.#store, this.#report);
    await this.#expectRows("blob", this.#blobs);
    await this.#expectRows("tx_part", this.#parts);
    await this.#expectRows("log_chunk", this.#chunks);
    await this.#expectRows("unlisted_log", this.#unlisted);
    const contracts = await this.#engine.all("SELECT count(*) FROM contract");
    this.#expect(contracts[0]![0] === this.#totals.contracts, "the number of contracts is wrong");
    for (const table of ["address", "signature"] as const) await this.#expectDense(table);
    const [stage] = await this.#store.stages();
    this.#expect(stage === undefined || stage.block === this.#last?.number, "the core stage is not at the tip");
  }

  #expect(holds: boolean, problem: string): void {
    this.#report.expect(holds, problem);
  }

  #count(facts: TransactionFacts, firstLog: number, listable: number): void {
    for (const party of facts.parties) extendOf(this.#transactions, party, facts.position);
    for (const [at, { owner, signature }] of facts.emitters.slice(0, Math.max(listable, 0)).entries())
      extendOf(this.#logs, owner, firstLog + at, signature);
    const { sent, gasUsed, fees } = this.#accounts.get(facts.sender) ?? NO_ACCOUNT;
    this.#accounts.set(facts.sender, {
      sent: sent + 1,
      gasUsed: gasUsed + facts.receipt.gasUsed,
      fees: fees + feeOf(facts.transaction, facts.receipt),
    });
  }

  async #expectIndexed(table: string, column: string, hash: Bytes, value: number): Promise<void> {
    const sql = `SELECT 1 FROM ${table} WHERE prefix = ? AND ${column} = ?`;
    const [row] = await this.#engine.all(sql, prefixOf(hash), value);
    this.#expect(row !== undefined, `${toHex(hash)} is not in ${table}`);
  }

  async #expectBlobs({ transaction, position }: TransactionFacts): Promise<void> {
    for (const key of blobKeys(transaction)) {
      const [row] = await this.#engine.all("SELECT 1 FROM blob WHERE prefix = ? AND position = ?", key, position);
      this.#expect(row !== undefined, `${toHex(transaction.hash)} is not found by its blobs`);
      this.#blobs++;
    }
  }

  async #expectRows(table: string, count: number): Promise<void> {
    const [row] = await this.#engine.all(`SELECT count(*) FROM ${table}`);
    this.#expect(row![0] === count, `there are ${row![0]} rows of ${table}, not ${count}`);
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
    const rows = (await this.#engine.all(sql, after, upTo)) as [number, Bytes][];
    await expectFindable(this.#report, this.#store, table, new Map(rows));
    return rows.map(([, value]) => value);
  }

  async #compareAccounts(): Promise<void> {
    const rows = await this.#engine.all("SELECT id, value FROM account");
    this.#expect(rows.length === this.#accounts.size, "the number of senders is wrong");
    for (const [id, value] of rows) {
      const expected = accountCodec.write(this.#accounts.get(id as number) ?? NO_ACCOUNT);
      this.#expect(equalBytes(expected, value as Bytes), `the counters of sender ${id} are wrong`);
    }
  }

  async #expectDense(table: "address" | "signature"): Promise<void> {
    const total = table === "address" ? this.#totals.addresses : this.#totals.signatures;
    const [row] = await this.#engine.all(`SELECT count(*), max(id) FROM ${table}`);
    const [index] = await this.#engine.all(`SELECT count(*) FROM ${table}_hash`);
    const isDense = row![0] === total && (row![1] ?? 0) === total && index![0] === total;
    this.#expect(isDense, `the ${table} dictionary is not dense`);
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

/** As bytes of one kind, in one order: the database has both of its own. */
function sorted({ row, parts, chunks }: DividedBody): unknown {
  const plain = (rows: DividedBody["parts"]) =>
    rows.map(([key, body]) => [key, Buffer.from(body)] as const).toSorted(([a], [b]) => a - b);
  return [Buffer.from(row), plain(parts), plain(chunks)];
}
