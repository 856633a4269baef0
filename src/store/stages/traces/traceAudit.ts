import type { Bytes } from "../../../chain/encoding/bytes.ts";
import { equalBytes } from "../../../chain/encoding/bytes.ts";
import { hasHappened, isCreation } from "../../../chain/trace/internalCall.ts";
import type { AuditOptions } from "../../audit/audit.ts";
import { AuditReport } from "../../audit/auditReport.ts";
import { auditKeys, expectFindable } from "../../audit/dictionaryAudit.ts";
import type { IdRange } from "../../audit/idRange.ts";
import { idRanges } from "../../audit/idRange.ts";
import { ListAudit, Outlines } from "../../audit/listAudit.ts";
import type { Reader } from "../../engine/database.ts";
import { readNumber } from "../../engine/database.ts";
import { keysetPages } from "../../engine/keysetPages.ts";
import type { CoreReads } from "../../read/coreReads.ts";
import { firstPosition } from "../../rows/position.ts";
import { readIndex } from "../../rows/transactionBody.ts";
import type { StoredCall } from "./traceBody.ts";
import { readCall, readTracedIndexes } from "./traceBody.ts";
import { addressCalls } from "./traceTables.ts";
import type { TraceTip } from "./traceTip.ts";
import { readTraceTip, traceDigest, traceTipAt } from "./traceTip.ts";

const BLOCK_BATCH_SIZE = 100;
const CALL_BATCH_SIZE = 1000;

/**
 * Recomputes lists and digests. Returns the differences. The calls themselves are the node's; digests show that they
 * are unchanged.
 */
export async function auditTraces(session: CoreReads, options: AuditOptions = {}): Promise<string[]> {
  const report = new AuditReport();
  await report.gather(() => new TraceAudit(session, report).run(options));
  return report.problems;
}

type BlockRow = [number: number, calls: number, addresses: number, untraced: number, body: Bytes, digest: Bytes];

const SELECT = "SELECT number, calls, addresses, untraced, body, digest FROM trace_block";

export class TraceAudit {
  readonly #session: CoreReads;
  readonly #db: Reader;
  readonly #report: AuditReport;
  #creations = 0;

  constructor(session: CoreReads, report: AuditReport) {
    this.#session = session;
    this.#db = session.db;
    this.#report = report;
  }

  async run({ onBlock, idBatchSize }: AuditOptions): Promise<void> {
    const tip = await readTraceTip(this.#db);
    if (tip === undefined) return;
    let at = await traceTipAt(this.#db, -1);
    const pages = keysetPages<BlockRow>(BLOCK_BATCH_SIZE, (last, count) =>
      this.#db.all(`${SELECT} WHERE number > ? ORDER BY number LIMIT ?`, last?.[0] ?? -1, count),
    );
    for await (const rows of pages) {
      for (const row of rows) at = await this.#block(row, at);
      await onBlock?.(at.number);
    }
    await this.#auditLists(tip, idBatchSize);
    await this.#finish(at);
  }

  /** The parent must be correct. */
  async verify(number: number): Promise<void> {
    const [row] = await this.#db.all<BlockRow>(`${SELECT} WHERE number = ?`, number);
    if (row !== undefined) await this.#block(row, await traceTipAt(this.#db, number - 1));
  }

  async #block([number, calls, addresses, untraced, body, digest]: BlockRow, before: TraceTip): Promise<TraceTip> {
    const bounds = [firstPosition(number), firstPosition(number + 1)] as const;
    const sql = "SELECT position, body FROM trace_call WHERE position >= ? AND position < ? ORDER BY position";
    const rows = await this.#db.all<[number, Bytes]>(sql, ...bounds);
    const isDense = rows.every(([position], at) => position === bounds[0] + at);
    const indexes = readTracedIndexes(body);
    const listed = indexes.reduce((sum, { calls }) => sum + calls, 0);
    this.#report.expect(isDense && rows.length === listed, `the calls of block ${number} are not those it counts`);
    const fresh = await this.#freshAddresses(before.addresses, addresses);
    const expected = traceDigest(before, number, body, [...rows.map(([, call]) => call), ...fresh]);
    const missed = indexes.filter(({ isUntraced }) => isUntraced).length;
    const isSame =
      calls === before.calls + rows.length &&
      addresses === before.addresses + fresh.length &&
      untraced === before.untraced + missed &&
      equalBytes(digest, expected);
    this.#report.expect(isSame, `the traces of block ${number} are not those that were stored`);
    const stored = rows.map(([, call]) => readCall(call));
    await this.#expectTransactions(
      number,
      indexes.flatMap(({ index, calls }) => Array<number>(calls).fill(index)),
      stored,
    );
    await this.#expectCreations(number, stored);
    return { number, digest, calls, addresses, untraced };
  }

  async #freshAddresses(from: number, to: number): Promise<Bytes[]> {
    const sql = "SELECT id, value FROM trace_address WHERE id > ? AND id <= ? ORDER BY id";
    const rows = await this.#db.all<[number, Bytes]>(sql, from, to);
    await expectFindable(this.#report, this.#session, "trace_address", new Map(rows));
    return rows.map(([, value]) => value);
  }

  /** Each call must name its transaction. */
  async #expectTransactions(number: number, indexes: readonly number[], calls: readonly StoredCall[]): Promise<void> {
    const positions = [...new Set(calls.map(({ slot }) => firstPosition(number) + slot))];
    const sql = "SELECT position, body FROM tx WHERE position IN ($keys)";
    const rows = await this.#db.load<[number, Bytes]>(sql, positions);
    const found = new Map(rows.map(([position, body]) => [position, readIndex(body)]));
    const isSame = calls.every(({ slot }, at) => found.get(firstPosition(number) + slot) === indexes[at]);
    this.#report.expect(isSame, `calls of block ${number} are not of the transactions they name`);
  }

  async #expectCreations(number: number, calls: readonly StoredCall[]): Promise<void> {
    const first = firstPosition(number);
    const made = calls.flatMap((call, at): [number, number][] =>
      isCreation(call) && hasHappened(call) && call.to !== 0 ? [[call.to, first + at]] : [],
    );
    const sql = "SELECT address, position FROM trace_creation WHERE (address, position) IN ($pairs)";
    const found = await this.#db.loadPairs<[number, number]>(sql, made);
    this.#report.expect(found.length === made.length, `what block ${number} created is not found`);
    this.#creations += made.length;
  }

  async #auditLists({ addresses }: TraceTip, idBatchSize: number | undefined): Promise<void> {
    const names = { what: "internal calls", whose: "address" };
    const audit = new ListAudit(this.#report, addressCalls(this.#db), names);
    for (const range of idRanges(addresses, idBatchSize)) await audit.compare(await this.#outlines(range));
    await audit.finish();
  }

  async #outlines(range: IdRange): Promise<Outlines> {
    const outlines = new Outlines(range);
    const sql = "SELECT position, body FROM trace_call WHERE position > ? ORDER BY position LIMIT ?";
    const pages = keysetPages<[number, Bytes]>(CALL_BATCH_SIZE, (last, count) =>
      this.#db.all(sql, last?.[0] ?? -1, count),
    );
    for await (const rows of pages) {
      for (const [position, body] of rows) {
        const { from, to } = readCall(body);
        outlines.extend(from, position);
        if (to !== 0 && to !== from) outlines.extend(to, position);
      }
    }
    return outlines;
  }

  async #finish(at: TraceTip): Promise<void> {
    const expected = { trace_call: at.calls, trace_address: at.addresses };
    for (const [table, count] of Object.entries({ ...expected, trace_creation: this.#creations })) {
      const found = await readNumber(this.#db, `SELECT count(*) FROM ${table}`);
      this.#report.expect(found === count, `there are ${found} rows of ${table}, not ${count}`);
    }
    const keys = await auditKeys(this.#report, this.#session, "trace_address");
    this.#report.expect(keys === at.addresses, `there are ${keys} entries of trace_address_hash, not ${at.addresses}`);
    const stage = (await this.#session.stages()).find(({ name }) => name === "traces");
    const isAt = stage !== undefined && stage.block >= at.number && equalBytes(stage.digest, at.digest);
    this.#report.expect(isAt, "the traces stage is not at its newest block");
  }
}
