import type { BlockNumber } from "../../chain/block/header.ts";
import type { Reader, Writer } from "../engine/database.ts";
import { mustHave } from "../rows/encoding.ts";
import type { Position } from "../rows/position.ts";
import { firstPosition } from "../rows/position.ts";
import type { AddedEntries } from "./addedEntries.ts";
import { NONE } from "./addedEntries.ts";
import type { AdditionObserver, CutList } from "./list.ts";

const DAY = 86_400;

const COLUMNS = ["day", "first", "addresses"];

type DayRow = [day: number, first: BlockNumber, addresses: number];

interface ActiveDay {
  readonly day: number;
  readonly first: BlockNumber;
  readonly start: Position;
  addresses: number;
  isStored: boolean;
}

/** Days since 1970 in UTC, by the latest time up to a block. */
export const dayOf = (latest: number): number => Math.floor(latest / DAY);

/**
 * Number of addresses whose lists of transactions grow on each UTC day. An entry is the first of its owner on a day if
 * the one before it precedes the day's first block, so counting takes what extending a list has read anyway.
 */
export class ActiveDays implements AdditionObserver {
  /** Those of pending blocks, oldest first, preceded by that of the newest stored block. */
  #days: ActiveDay[] = [];

  async load(db: Reader, tip: { readonly latest: number } | undefined): Promise<void> {
    if (tip === undefined || this.#days.length > 0) return;
    const sql = "SELECT day, first, addresses FROM active_day WHERE day = ?";
    const [row] = await db.all<DayRow>(sql, dayOf(tip.latest));
    const [day, first, addresses] = mustHave(row, "the day of the newest block");
    this.#days.push({ day, first, start: firstPosition(first), addresses, isStored: true });
  }

  /** `latest` never decreases. */
  begin(block: BlockNumber, latest: number): void {
    const day = dayOf(latest);
    if (this.#days.at(-1)?.day === day) return;
    this.#days.push({ day, first: block, start: firstPosition(block), addresses: 0, isStored: false });
  }

  add(owner: number, newest: Position, entries: AddedEntries): void {
    const last = this.#days.length - 1;
    if (this.#days[last]!.start <= newest) return;
    let at = this.#indexOf(newest);
    for (let entry = entries.oldest(owner); at < last && entry !== NONE; entry = entries.after(entry)) {
      const next = this.#indexOf(entries.position(entry));
      if (next === at) continue;
      const day = this.#days[next]!;
      day.addresses++;
      day.isStored = false;
      at = next;
    }
  }

  /** -1 before the first one. */
  #indexOf(position: Position): number {
    let at = this.#days.length - 1;
    while (at >= 0 && this.#days[at]!.start > position) at--;
    return at;
  }

  /** After the lists are flushed. */
  async flush(writer: Writer): Promise<void> {
    const changed = this.#days.filter(({ isStored }) => !isStored);
    const rows = changed.map(({ day, first, addresses }): DayRow => [day, first, addresses]);
    await writer.upsert("active_day", COLUMNS, rows);
    for (const day of changed) day.isStored = true;
    this.#days = this.#days.slice(-1);
  }

  /** `lists` are those of the parties of the dropped blocks. */
  async cut(writer: Writer, latest: number, lists: readonly CutList[]): Promise<void> {
    const sql = "SELECT day, first, addresses FROM active_day WHERE day >= ? ORDER BY day LIMIT 2";
    const [row, next] = await writer.all<DayRow>(sql, dayOf(latest));
    const [day, first, addresses] = mustHave(row, "the day of a block");
    const start = firstPosition(first);
    const end = next === undefined ? Number.POSITIVE_INFINITY : firstPosition(next[1]);
    const inactive = lists.filter(({ newest, oldestDropped }) => newest < start && oldestDropped < end).length;
    await writer.run("DELETE FROM active_day WHERE day > ?", day);
    await writer.upsert("active_day", COLUMNS, [[day, first, addresses - inactive]]);
  }

  clear(): void {
    this.#days = [];
  }
}

/** By day, of the days [from, to) that have blocks. */
export async function readActiveDays(db: Reader, from: number, to: number): Promise<Map<number, number>> {
  const sql = "SELECT day, addresses FROM active_day WHERE day >= ? AND day < ?";
  return new Map(await db.all<[day: number, addresses: number]>(sql, from, to));
}
