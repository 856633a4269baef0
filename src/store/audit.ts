import { isDeepStrictEqual } from "node:util";
import type { Bytes } from "../chain/bytes.ts";
import { equalBytes } from "../chain/bytes.ts";
import { addExactly } from "../chain/exactSum.ts";
import type { BlockSums } from "../chain/fees.ts";
import { feeOf, sumBlock } from "../chain/fees.ts";
import { toHex } from "../chain/hex.ts";
import type { Receipt } from "../chain/receipt.ts";
import type { Account } from "./account.ts";
import { accountCodec, NO_ACCOUNT } from "./account.ts";
import { nextDigest } from "./append.ts";
import { AuditReport } from "./auditReport.ts";
import { blobKeys } from "./blobs.ts";
import type { Totals } from "./blockBody.ts";
import { NO_TOTALS, writeHeaderBody, writeTotals } from "./blockBody.ts";
import type { StoredBlock, Tip } from "./blocks.ts";
import { addressLogs, addressTransactions } from "./core.ts";
import { prefixOf } from "./dictionary.ts";
import { expectFindable } from "./dictionaryAudit.ts";
import type { Engine } from "./engine/engine.ts";
import type { TransactionFacts } from "./facts.ts";
import { readFacts } from "./facts.ts";
import type { Outlines } from "./listAudit.ts";
import { compareLists, extendOf } from "./listAudit.ts";
import { MinerAudit } from "./minerAudit.ts";
import { firstPosition, logPosition, transactionPosition } from "./position.ts";
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
  #times = 0;
  #totals: Totals = NO_TOTALS;
  #last: Tip | undefined;

  constructor(store: Store, report: AuditReport) {
    this.#report = report;
    this.#store = store;
    this.#engine = store.engine;
  }

  async block(block: Tip & StoredBlock): Promise<void> {
    const { number, header } = block;
    this.#expect(
      this.#last === undefined || equalBytes(header.parentHash, this.#last.hash),
      `block ${number} does not join`,
    );
    const sql = "SELECT position, body FROM tx WHERE position >= ? AND position < ? ORDER BY position";
    const rows = await this.#engine.all(sql, firstPosition(number), firstPosition(number + 1));
    const all: TransactionFacts[] = [];
    let [logs, contracts] = [0, 0];
    for (const [index, [position, body]] of rows.entries()) {
      const facts = readFacts(this.#engine, position as number, body as Bytes);
      const expected = transactionPosition(number, index, logs);
      this.#expect(
        position === expected && facts.index === index,
        `transaction ${index} of block ${number} is out of place`,
      );
      this.#count(facts, logPosition(number, index, logs));
      logs += facts.emitters.length;
      contracts += facts.contract === undefined ? 0 : 1;
      all.push(facts);
      await this.#expectIndexed("tx_hash", "position", facts.transaction.hash, expected);
      await this.#expectBlobs(facts);
    }
    this.#totals = {
      transactions: this.#totals.transactions + rows.length,
      logs: this.#totals.logs + logs,
      addresses: block.totals.addresses,
      signatures: block.totals.signatures,
      contracts: this.#totals.contracts + contracts,
      gasUsed: addExactly(this.#totals.gasUsed, header.gasUsed),
    };
    this.#expect(isDeepStrictEqual(block.sums, sumFacts(all)), `block ${number} has wrong sums`);
    this.#expect(isDeepStrictEqual(this.#totals, block.totals), `block ${number} has wrong totals`);
    const latest = Math.max(this.#last?.latest ?? 0, header.timestamp);
    this.#expect(block.latest === latest, `block ${number} has another latest time than the blocks up to it`);
    if (latest > header.timestamp) this.#times++;
    await this.#expectIndexed("block_hash", "number", header.hash, number);
    this.#miners.add(header);
    await this.#expectDigest(
      block,
      rows.map(([, body]) => body as Bytes),
    );
    this.#last = block;
  }

  async finish(): Promise<void> {
    const [transactions, logs] = [addressTransactions(this.#engine), addressLogs(this.#engine)];
    await compareLists(this.#report, transactions, this.#transactions, { what: "transactions", whose: "address" });
    await compareLists(this.#report, logs, this.#logs, { what: "logs", whose: "address" });
    await this.#compareAccounts();
    await this.#miners.compare(this.#store, this.#report);
    await this.#expectRows("blob", this.#blobs);
    await this.#expectRows("block_time", this.#times);
    const contracts = await this.#engine.all("SELECT count(*) FROM contract");
    this.#expect(contracts[0]![0] === this.#totals.contracts, "the number of contracts is wrong");
    for (const table of ["address", "signature"] as const) await this.#expectDense(table);
    const [stage] = await this.#store.stages();
    this.#expect(stage === undefined || stage.block === this.#last?.number, "the core stage is not at the tip");
  }

  #expect(holds: boolean, problem: string): void {
    this.#report.expect(holds, problem);
  }

  #count(facts: TransactionFacts, firstLog: number): void {
    for (const party of facts.parties) extendOf(this.#transactions, party, facts.position);
    for (const [at, { owner, signature }] of facts.emitters.entries())
      extendOf(this.#logs, owner, firstLog + at, signature);
    const { sent, gasUsed, fees } = this.#accounts.get(facts.sender) ?? NO_ACCOUNT;
    this.#accounts.set(facts.sender, {
      sent: sent + 1,
      gasUsed: addExactly(gasUsed, facts.receipt.gasUsed),
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

function sumFacts(facts: readonly TransactionFacts[]): BlockSums {
  const receipts = facts.map(({ receipt }) => receipt as Receipt);
  return sumBlock({ transactions: facts.map(({ transaction }) => transaction), receipts });
}
