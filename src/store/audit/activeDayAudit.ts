import type { BlockNumber } from "../../chain/block/header.ts";
import type { Reader } from "../engine/database.ts";
import type { TransactionFacts } from "../read/facts.ts";
import { dayOf } from "../tables/activeDays.ts";
import type { AuditReport } from "./auditReport.ts";
import type { IdRange } from "./idRange.ts";
import { has } from "./idRange.ts";

/** Addresses of a range by the days on which they took part in transactions. */
export class ActiveSums {
  readonly #range: IdRange;
  /** Newest day of each address. */
  readonly #newest: Float64Array;
  readonly counts = new Map<number, number>();

  constructor(range: IdRange) {
    this.#range = range;
    this.#newest = new Float64Array(range.to - range.from).fill(-1);
  }

  add({ parties }: TransactionFacts, day: number): void {
    for (const party of parties) {
      if (!has(this.#range, party) || this.#newest[party - this.#range.from] === day) continue;
      this.#newest[party - this.#range.from] = day;
      this.counts.set(day, (this.counts.get(day) ?? 0) + 1);
    }
  }
}

export class ActiveDayAudit {
  readonly #firstBlocks = new Map<number, BlockNumber>();
  readonly #addresses = new Map<number, number>();

  /** Returns the day of a block. */
  add({ number, latest }: { readonly number: BlockNumber; readonly latest: number }): number {
    const day = dayOf(latest);
    if (!this.#firstBlocks.has(day)) this.#firstBlocks.set(day, number);
    return day;
  }

  sum({ counts }: ActiveSums): void {
    for (const [day, count] of counts) this.#addresses.set(day, (this.#addresses.get(day) ?? 0) + count);
  }

  async compare(db: Reader, report: AuditReport): Promise<void> {
    const rows = await db.all<[number, number, number]>("SELECT day, first, addresses FROM active_day ORDER BY day");
    for (const [day, first, addresses] of rows) {
      report.expect(this.#firstBlocks.get(day) === first, `day ${day} has another first block than ${first}`);
      const expected = this.#addresses.get(day) ?? 0;
      report.expect(addresses === expected, `day ${day} has ${expected} active addresses, not ${addresses}`);
    }
    const days = this.#firstBlocks.size;
    report.expect(rows.length === days, `there are ${rows.length} rows of active_day, not ${days}`);
  }
}
