import type { ListReads } from "../tables/list.ts";
import { RUN } from "../tables/list.ts";
import type { AuditReport } from "./auditReport.ts";
import { unreadable } from "./auditReport.ts";
import type { IdRange } from "./idRange.ts";
import { has, rowBounds } from "./idRange.ts";

/** How a list came out: enough to compare it with a stored one without keeping it. */
export interface Outline {
  count: number;
  hash: number;
}

/** Entries read at once. */
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

/** The outlines of the lists of a range of owners, 12 bytes for each of them. */
export class Outlines {
  readonly range: IdRange;
  readonly #counts: Float64Array;
  readonly #hashes: Int32Array;

  constructor(range: IdRange) {
    this.range = range;
    this.#counts = new Float64Array(range.to - range.from);
    this.#hashes = new Int32Array(range.to - range.from);
  }

  /** Adds an entry, where the owner is in the range. */
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

/** The names are for people: the transfers of a token. */
export interface ListNames {
  readonly what: string;
  readonly whose: string;
}

/** Compares stored lists with what they must be, a range of owners after another. */
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

  /** After all ranges: there must be no run that belongs to none of the lists. */
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
