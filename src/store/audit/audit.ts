import type { Reader } from "../engine/database.ts";
import { readNumber } from "../engine/database.ts";
import { keysetPages } from "../engine/keysetPages.ts";
import { countEntries } from "../keys/keyReads.ts";
import type { KeyTable } from "../keys/keyTable.ts";
import { BLOB_KEYS, BLOCK_KEYS, TRANSACTION_KEYS } from "../keys/keyTable.ts";
import type { StoredBlock, Tip } from "../read/blocks.ts";
import type { CoreReads } from "../read/coreReads.ts";
import type { TransactionFacts } from "../read/facts.ts";
import { listedLogs, storedFacts } from "../read/facts.ts";
import { blockOf } from "../rows/position.ts";
import { dayOf } from "../tables/activeDays.ts";
import { addressTransactions } from "../tables/coreTables.ts";
import { addressLogs, signatureCounts, signatureLogs } from "../tables/logLists.ts";
import { minerBlocks } from "../tables/miners.ts";
import { AccountSums } from "./accountAudit.ts";
import { ActiveDayAudit, ActiveSums } from "./activeDayAudit.ts";
import { AuditReport } from "./auditReport.ts";
import { BlockAudit } from "./blockAudit.ts";
import { CalledSums } from "./calledAudit.ts";
import { auditKeys } from "./dictionaryAudit.ts";
import type { IdRange } from "./idRange.ts";
import { idRanges } from "./idRange.ts";
import { auditJournal } from "./journalAudit.ts";
import { ListAudit, Outlines } from "./listAudit.ts";
import { MinerAudit } from "./minerAudit.ts";
import { auditTagCounts } from "./tagCountAudit.ts";

export interface AuditOptions {
  readonly onBlock?: (number: number) => unknown;
  /** Ids per pass; with more, the facts are read again for each pass. */
  readonly idBatchSize?: number;
}

const BLOCK_BATCH_SIZE = 100;

/** Recomputes counters, lists, indexes and digests from stored facts. Returns the differences. */
export async function auditStore(session: CoreReads, options: AuditOptions = {}): Promise<string[]> {
  const report = new AuditReport();
  await report.gather(() => new Auditor(session, report, options).run());
  return report.problems;
}

class Auditor {
  readonly #report: AuditReport;
  readonly #session: CoreReads;
  readonly #db: Reader;
  readonly #options: AuditOptions;
  readonly #blocks: BlockAudit;
  readonly #miners: MinerAudit;
  readonly #days = new ActiveDayAudit();
  readonly #lists: Readonly<Record<"transactions" | "logs" | "signed" | "mined", ListAudit>>;
  #senders = 0;
  #called = 0;

  constructor(session: CoreReads, report: AuditReport, options: AuditOptions) {
    this.#report = report;
    this.#session = session;
    this.#db = session.db;
    this.#options = options;
    this.#blocks = new BlockAudit(session, report);
    this.#miners = new MinerAudit(session, report);
    this.#lists = {
      transactions: new ListAudit(report, addressTransactions(this.#db), {
        what: "transactions",
        whose: "address",
      }),
      logs: new ListAudit(report, addressLogs(this.#db), { what: "logs", whose: "address" }),
      signed: new ListAudit(report, signatureLogs(this.#db), { what: "logs", whose: "signature" }),
      mined: new ListAudit(report, minerBlocks(this.#db), { what: "blocks", whose: "miner" }),
    };
  }

  async run(): Promise<void> {
    const tip = await this.#session.blocks.tip();
    const miners = await readNumber(this.#db, "SELECT max(id) FROM miner");
    const highest = Math.max(tip?.totals.addresses ?? 0, tip?.totals.signatures ?? 0, miners);
    for (const range of idRanges(highest, this.#options.idBatchSize))
      await this.#compare(await (range.isFirst ? this.#auditBlocks(range) : this.#sum(range)));
    await this.#finish();
    await auditJournal(this.#session, this.#report);
  }

  /** Walks all blocks, summing the first id range on the way. */
  async #auditBlocks(range: IdRange): Promise<Sums> {
    const sums = new Sums(range);
    let last = -1;
    for await (const blocks of this.#pages()) {
      for (const block of blocks) {
        const day = this.#days.add(block);
        await this.#blocks.block(block, (facts) => sums.add(facts, block.sums.transactions, day));
        sums.mined.extend(await this.#miners.add(block.header), block.number);
        last = block.number;
      }
      await this.#options.onBlock?.(last);
    }
    return sums;
  }

  #pages(): AsyncGenerator<(Tip & StoredBlock)[]> {
    return keysetPages(BLOCK_BATCH_SIZE, (last, count) => this.#session.blocks.range((last?.number ?? -1) + 1, count));
  }

  async #sum(range: IdRange): Promise<Sums> {
    const sums = new Sums(range);
    let last = -1;
    for await (const blocks of this.#pages()) {
      const from = last + 1;
      for (const { number, header } of blocks) {
        sums.mined.extend(await this.#miners.idOf(header), number);
        last = number;
      }
      const known = new Map(blocks.map((block) => [block.number, block]));
      for await (const facts of storedFacts(this.#db, from, last)) {
        const block = known.get(blockOf(facts.position));
        if (block !== undefined) sums.add(facts, block.sums.transactions, dayOf(block.latest));
      }
      await this.#options.onBlock?.(last);
    }
    return sums;
  }

  async #compare({ transactions, logs, signed, mined, accounts, called, active }: Sums): Promise<void> {
    this.#days.sum(active);
    await this.#lists.transactions.compare(transactions);
    await this.#lists.logs.compare(logs);
    await this.#lists.signed.compare(signed);
    await this.#lists.mined.compare(mined);
    this.#senders += await accounts.compare(this.#db, this.#report);
    this.#called += await called.compare(this.#db, this.#report);
  }

  async #finish(): Promise<void> {
    const { last, rows } = this.#blocks;
    for (const list of Object.values(this.#lists)) await list.finish();
    await this.#miners.finish();
    await this.#days.compare(this.#db, this.#report);
    await auditTagCounts(this.#db, addressLogs(this.#db), signatureCounts, this.#report);
    await this.#expectKeys(BLOB_KEYS, rows.blob_hash);
    await this.#expectRows("blob_tx", rows.blob_tx);
    await this.#expectRows("block_time", rows.block_time);
    await this.#expectRows("tx_part", rows.tx_part);
    await this.#expectRows("log_chunk", rows.log_chunk);
    await this.#expectRows("unlisted_log", rows.unlisted_log);
    this.#report.expect((await this.#count("contract")) === rows.contract, "the number of contracts is wrong");
    this.#report.expect((await this.#countOwners("sent")) === this.#senders, "the number of senders is wrong");
    this.#report.expect(
      (await this.#countOwners("called")) === this.#called,
      "the number of called addresses is wrong",
    );
    await this.#expectRows("tx", last?.totals.transactions ?? 0);
    await this.#expectKeys(TRANSACTION_KEYS, last?.totals.transactions ?? 0);
    await this.#expectKeys(BLOCK_KEYS, await this.#count("block"));
    await this.#expectDense("address", last?.totals.addresses ?? 0);
    await this.#expectDense("signature", last?.totals.signatures ?? 0);
    const [stage] = await this.#session.stages();
    this.#report.expect(stage === undefined || stage.block === last?.number, "the core stage is not at the tip");
  }

  async #expectRows(table: string, expected: number): Promise<void> {
    const count = await this.#count(table);
    this.#report.expect(count === expected, `there are ${count} rows of ${table}, not ${expected}`);
  }

  async #expectKeys(table: KeyTable, expected: number): Promise<void> {
    const count = await countEntries(this.#db, table);
    this.#report.expect(count === expected, `there are ${count} entries of ${table.name}, not ${expected}`);
  }

  async #count(table: string): Promise<number> {
    return readNumber(this.#db, `SELECT count(*) FROM ${table}`);
  }

  /** Owners that have counters. */
  async #countOwners(column: "sent" | "called"): Promise<number> {
    return this.#count(`address_tx_tail WHERE length(${column}) > 0`);
  }

  async #expectDense(table: "address" | "signature", total: number): Promise<void> {
    const highest = await readNumber(this.#db, `SELECT max(id) FROM ${table}`);
    const counts = [await this.#count(table), await auditKeys(this.#report, this.#session, table)];
    const isDense = highest === total && counts.every((count) => count === total);
    this.#report.expect(isDense, `the ${table} dictionary is not dense`);
  }
}

/** Sums over a range of ids, 96 bytes each. */
class Sums {
  readonly transactions: Outlines;
  readonly logs: Outlines;
  readonly signed: Outlines;
  readonly mined: Outlines;
  readonly accounts: AccountSums;
  readonly called: CalledSums;
  readonly active: ActiveSums;

  constructor(range: IdRange) {
    this.transactions = new Outlines(range);
    this.logs = new Outlines(range);
    this.signed = new Outlines(range);
    this.mined = new Outlines(range);
    this.accounts = new AccountSums(range);
    this.called = new CalledSums(range);
    this.active = new ActiveSums(range);
  }

  /** The number of transactions in the block determines which logs are listed. */
  add(facts: TransactionFacts, transactions: number, day: number): void {
    for (const party of facts.parties) this.transactions.extend(party, facts.position);
    this.active.add(facts, day);
    for (const { owner, signature, position } of listedLogs(facts, transactions)) {
      this.logs.extend(owner, position, signature);
      if (signature !== 0) this.signed.extend(signature, position);
    }
    this.accounts.add(facts);
    this.called.add(facts);
  }
}
