import type { Bytes } from "../../chain/encoding/bytes.ts";
import { equalBytes } from "../../chain/encoding/bytes.ts";
import type { Reader } from "../engine/database.ts";
import { keysetPages } from "../engine/keysetPages.ts";
import type { Called } from "../rows/called.ts";
import { addCalled, calledCodec, NO_CALLS } from "../rows/called.ts";
import type { TransactionFacts } from "../rows/facts.ts";
import type { AuditReport } from "./auditReport.ts";
import type { IdRange } from "./idRange.ts";
import { has, rowBounds } from "./idRange.ts";

const AT_ONCE = 10_000;

/** What was sent to the addresses of a range. */
export class CalledSums {
  readonly #range: IdRange;
  readonly #sums = new Map<number, Called>();

  constructor(range: IdRange) {
    this.#range = range;
  }

  add({ call }: TransactionFacts): void {
    if (call === undefined || !has(this.#range, call.id)) return;
    this.#sums.set(call.id, addCalled(this.#sums.get(call.id) ?? NO_CALLS, call));
  }

  /** Answers how many rows there must be. */
  async compare(db: Reader, report: AuditReport): Promise<number> {
    const sql = "SELECT id, value FROM called WHERE id >= ? AND id <= ? ORDER BY id LIMIT ?";
    const [least, most] = rowBounds(this.#range);
    const pages = keysetPages<[number, Bytes]>(AT_ONCE, (last, count) =>
      db.all(sql, last === undefined ? least : last[0] + 1, most, count),
    );
    for await (const rows of pages)
      for (const [id, value] of rows) {
        const sum = this.#sums.get(id);
        const isRight = sum !== undefined && equalBytes(calledCodec.write(sum), value);
        report.expect(isRight, `what was sent to address ${id} is counted wrongly`);
      }
    return this.#sums.size;
  }
}
