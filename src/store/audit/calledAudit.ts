import type { Bytes } from "../../chain/encoding/bytes.ts";
import { equalBytes } from "../../chain/encoding/bytes.ts";
import type { Reader } from "../engine/database.ts";
import { keysetPages } from "../engine/keysetPages.ts";
import type { TransactionFacts } from "../read/facts.ts";
import type { CallCounters } from "../rows/callCounters.ts";
import { addCallCounters, callCountersCodec, NO_CALLS } from "../rows/callCounters.ts";
import type { AuditReport } from "./auditReport.ts";
import type { IdRange } from "./idRange.ts";
import { has, rowBounds } from "./idRange.ts";

const BATCH_SIZE = 10_000;

export class CalledSums {
  readonly #range: IdRange;
  readonly #sums = new Map<number, CallCounters>();

  constructor(range: IdRange) {
    this.#range = range;
  }

  add({ call }: TransactionFacts): void {
    if (call === undefined || !has(this.#range, call.id)) return;
    this.#sums.set(call.id, addCallCounters(this.#sums.get(call.id) ?? NO_CALLS, call));
  }

  async compare(db: Reader, report: AuditReport): Promise<number> {
    const sql =
      "SELECT owner, called FROM address_tx_tail WHERE length(called) > 0 AND owner >= ? AND owner <= ? ORDER BY owner LIMIT ?";
    const [min, max] = rowBounds(this.#range);
    const pages = keysetPages<[number, Bytes]>(BATCH_SIZE, (last, count) =>
      db.all(sql, last === undefined ? min : last[0] + 1, max, count),
    );
    for await (const rows of pages)
      for (const [id, value] of rows) {
        const sum = this.#sums.get(id);
        const isRight = sum !== undefined && equalBytes(callCountersCodec.write(sum), value);
        report.expect(isRight, `what was sent to address ${id} is counted wrongly`);
      }
    return this.#sums.size;
  }
}
