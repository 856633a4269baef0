import { feeOf } from "../../chain/block/fees.ts";
import type { Bytes } from "../../chain/encoding/bytes.ts";
import { equalBytes } from "../../chain/encoding/bytes.ts";
import { addExactly } from "../../std/numbers.ts";
import type { Reader } from "../engine/database.ts";
import { readNumber } from "../engine/database.ts";
import type { CoreReads } from "../read/coreReads.ts";
import { storedFacts } from "../read/facts.ts";
import type { Account } from "../rows/account.ts";
import { accountCodec, addAccounts, NO_ACCOUNT } from "../rows/account.ts";
import type { CallCounters } from "../rows/callCounters.ts";
import { addCallCounters, callCountersCodec, NO_CALLS } from "../rows/callCounters.ts";
import type { Codec } from "../rows/codec.ts";
import type { AuditReport } from "./auditReport.ts";

/** Newest first; empty if nothing is indexed. */
export async function journaledBlocks(session: CoreReads, tip: number | undefined): Promise<number[]> {
  const first = (await session.blocks.first())?.header.number;
  if (tip === undefined || first === undefined) return [];
  const from = Math.max(await session.oldestUnwindable(), first);
  return Array.from({ length: Math.max(tip - from + 1, 0) }, (_, at) => tip - at);
}

/**
 * Walks back over journaled blocks: the journal's value before a block plus the block's changes must equal the value
 * after it. So an unwind to any of these blocks restores what the facts say.
 */
export async function auditJournal(session: CoreReads, report: AuditReport): Promise<void> {
  const { db } = session;
  const blocks = await journaledBlocks(session, (await session.blocks.tip())?.number);
  await expectNoExtraRows(db, report, "journal", blocks);
  const others = await readNumber(
    db,
    "SELECT count(*) FROM journal WHERE source NOT IN ('sent', 'called', 'token', 'wrapper')",
  );
  report.expect(others === 0, "the journal has rows of no table");
  const accounts = new JournalWalk(db, report, {
    source: "sent",
    rows: COUNTERS("sent"),
    kind: "sender",
    codec: accountCodec,
  });
  const callees = new JournalWalk(db, report, {
    source: "called",
    rows: COUNTERS("called"),
    kind: "callee",
    codec: callCountersCodec,
  });
  for (const number of blocks) {
    const added = new Map<number, Account>();
    const calls = new Map<number, CallCounters>();
    for await (const { sender, call, transaction, receipt } of storedFacts(db, number, number)) {
      if (call !== undefined) calls.set(call.id, addCallCounters(calls.get(call.id) ?? NO_CALLS, call));
      const { sent, gasUsed, fees } = added.get(sender) ?? NO_ACCOUNT;
      const fee = feeOf(transaction, receipt);
      added.set(sender, { sent: sent + 1, gasUsed: addExactly(gasUsed, receipt.gasUsed), fees: fees + fee });
    }
    await accounts.block(number, added, (before, change) => addAccounts(before ?? NO_ACCOUNT, change));
    await callees.block(number, calls, (before, change) => addCallCounters(before ?? NO_CALLS, change));
  }
}

/** The journal must cover exactly these blocks. */
export async function expectNoExtraRows(
  db: Reader,
  report: AuditReport,
  table: string,
  blocks: readonly number[],
): Promise<void> {
  const sql = `SELECT count(*) FROM ${table} WHERE NOT block BETWEEN ? AND ?`;
  const others = await readNumber(db, sql, blocks.at(-1) ?? 0, blocks[0] ?? -1);
  report.expect(others === 0, `${table} has rows of blocks that are not to be unwound`);
}

const COUNTERS = (column: string) => `SELECT owner, ${column} FROM address_tx_tail WHERE owner IN ($keys)`;

interface Walked<T> {
  /** In the journal. */
  readonly source: string;
  /** Selects the current values of `$keys`. */
  readonly rows: string;
  readonly kind: string;
  readonly codec: Codec<T>;
}

/** Walks the journal of a mutable table back from the current rows. */
export class JournalWalk<T> {
  readonly #db: Reader;
  readonly #report: AuditReport;
  readonly #walked: Walked<T>;
  /** Rows before the last walked block, as far as they changed. */
  readonly #rows = new Map<number, Bytes | null>();

  constructor(db: Reader, report: AuditReport, walked: Walked<T>) {
    this.#db = db;
    this.#report = report;
    this.#walked = walked;
  }

  async block<C>(
    number: number,
    changes: ReadonlyMap<number, C>,
    apply: (before: T | undefined, change: C) => T,
  ): Promise<void> {
    const { source, kind, codec } = this.#walked;
    const sql = "SELECT id, before FROM journal WHERE block = ? AND source = ?";
    const journaled = new Map(await this.#db.all<[number, Bytes | null]>(sql, number, source));
    await this.#load([...changes.keys()]);
    for (const [id, change] of changes) {
      const before = journaled.get(id);
      if (!this.#report.expectFound(before, `the journal of block ${number} lacks ${kind} ${id}`)) continue;
      const after = this.#report.try(() =>
        codec.write(apply(before === null ? undefined : codec.read(before), change)),
      );
      const isRestored = after !== undefined && equalBytes(after, this.#rows.get(id) ?? NOTHING);
      this.#report.expect(isRestored, `the journal of block ${number} restores ${kind} ${id} wrongly`);
      this.#rows.set(id, before);
    }
    const unexpected = [...journaled.keys()].filter((id) => !changes.has(id));
    for (const id of unexpected)
      this.#report.expect(false, `the journal of block ${number} has ${kind} ${id}, which it did not change`);
  }

  async #load(ids: readonly number[]): Promise<void> {
    const missing = ids.filter((id) => !this.#rows.has(id));
    const rows = await this.#db.load<[number, Bytes]>(this.#walked.rows, missing);
    for (const [id, value] of rows) this.#rows.set(id, value);
  }
}

/** Stands for a missing row. */
const NOTHING = new Uint8Array(0);
