import type { ListReads } from "../tables/list.ts";
import { RUN } from "../tables/listRuns.ts";
import type { AuditReport } from "./auditReport.ts";
import { unreadable } from "./auditReport.ts";
import type { IdRange } from "./idRange.ts";
import { has, rowBounds } from "./idRange.ts";

/** Count and checksum of a list, to compare without storing it. */
export interface Outline {
  count: number;
  hash: number;
}

const PAGE = 100 * RUN;

export function extend(outline: Outline, position: number, tag = 0): void {
  outline.count++;
  outline.hash = nextHash(outline.hash, position, tag);
}

function nextHash(hash: number, position: number, tag: number): number {
  let next = Math.imul(hash, 0x01000193) ^ Math.floor(position / 2 ** 32);
  next = Math.imul(next, 0x01000193) ^ position;
  return Math.imul(next, 0x01000193) ^ tag;
}

export class Outlines {
  readonly range: IdRange;
  readonly #counts: Float64Array;
  readonly #hashes: Int32Array;

  constructor(range: IdRange) {
    this.range = range;
    this.#counts = new Float64Array(range.to - range.from);
    this.#hashes = new Int32Array(range.to - range.from);
  }

  extend(owner: number, position: number, tag = 0): void {
    if (!has(this.range, owner)) return;
    const at = owner - this.range.from;
    this.#counts[at]!++;
    this.#hashes[at] = nextHash(this.#hashes[at]!, position, tag);
  }

  of(owner: number): Outline {
    if (!has(this.range, owner)) return { count: 0, hash: 0 };
    const at = owner - this.range.from;
    return { count: this.#counts[at]!, hash: this.#hashes[at]! };
  }
}

interface ListNames {
  readonly what: string;
  readonly whose: string;
}

/** Compares stored lists with the facts, one range of owners at a time. */
export class ListAudit {
  readonly #report: AuditReport;
  readonly #list: ListReads<string, string>;
  readonly #names: ListNames;
  #runs = 0;

  constructor(report: AuditReport, list: ListReads<string, string>, names: ListNames) {
    this.#report = report;
    this.#list = list;
    this.#names = names;
  }

  async compare(expected: Outlines): Promise<void> {
    const { what, whose } = this.#names;
    let next = expected.range.from;
    const expectNone = (upTo: number) => {
      for (; next < upTo; next++)
        this.#report.expect(expected.of(next).count === 0, `${whose} ${next} has no list of its ${what}`);
    };
    for await (const [owner, count] of this.#list.counts(1000, ...rowBounds(expected.range))) {
      expectNone(Math.min(owner, expected.range.to));
      const isEqual = await this.#hasOutline(owner, count, expected.of(owner));
      this.#report.expect(isEqual, `the ${what} of ${whose} ${owner} are not those of the facts`);
      this.#runs += Math.floor(count / RUN);
      next = Math.max(next, owner + 1);
    }
    expectNone(expected.range.to);
  }

  /** Call after all ranges: no run may be left without a list. */
  async finish(): Promise<void> {
    const isSame = (await this.#list.sealedRuns()) === this.#runs;
    this.#report.expect(isSame, `the ${this.#names.what} of an owner have runs that no list counts`);
  }

  async #hasOutline(owner: number, count: number, expected: Outline): Promise<boolean> {
    if (count === 0 || expected.count !== count) return false;
    const found: Outline = { count: 0, hash: 0 };
    try {
      for (let from = 0; from < count; from += PAGE) {
        for (const { position, tag } of await this.#list.slice(owner, from, Math.min(from + PAGE, count)))
          extend(found, position, tag);
      }
    } catch (error) {
      return unreadable(error) === undefined;
    }
    return found.count === count && found.hash === expected.hash;
  }
}
