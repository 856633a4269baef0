import type { AuditReport } from "./auditReport.ts";
import type { PositionList } from "./list.ts";
import { RUN } from "./list.ts";

/** How a list came out: enough to compare it with a stored one without keeping it. */
export interface Outline {
  count: number;
  hash: number;
}

export type Outlines = Map<number, Outline>;

/** Entries read at once. */
const PAGE = 100 * RUN;

export function extend(outline: Outline, position: number, tag = 0): void {
  outline.count++;
  for (const part of [Math.floor(position / 2 ** 32), position | 0, tag]) {
    outline.hash = (Math.imul(outline.hash, 0x01000193) ^ part) | 0;
  }
}

export function extendOf(outlines: Outlines, owner: number, position: number, tag = 0): void {
  const outline = outlines.get(owner) ?? { count: 0, hash: 0 };
  extend(outline, position, tag);
  outlines.set(owner, outline);
}

/** Compares stored lists with what they must be. The names are for people: the transfers of a token. */
export async function compareLists(
  report: AuditReport,
  list: PositionList,
  expected: Outlines,
  names: { readonly what: string; readonly whose: string },
): Promise<void> {
  const { what, whose } = names;
  const left = new Set(expected.keys());
  let runs = 0;
  for await (const [owner, count] of list.counts()) {
    const isEqual = await hasOutline(list, owner, count, expected.get(owner));
    report.expect(isEqual, `the ${what} of ${whose} ${owner} are not those of the facts`);
    left.delete(owner);
    runs += Math.floor(count / RUN);
  }
  for (const owner of left) report.expect(false, `${whose} ${owner} has no list of its ${what}`);
  report.expect((await list.sealedRuns()) === runs, `the ${what} of an owner have runs that no list counts`);
}

async function hasOutline(
  list: PositionList,
  owner: number,
  count: number,
  expected: Outline | undefined,
): Promise<boolean> {
  if (expected?.count !== count) return false;
  const found: Outline = { count: 0, hash: 0 };
  for (let from = 0; from < count; from += PAGE) {
    for (const { position, tag } of await list.slice(owner, from, Math.min(from + PAGE, count)))
      extend(found, position, tag);
  }
  return found.count === count && found.hash === expected.hash;
}
