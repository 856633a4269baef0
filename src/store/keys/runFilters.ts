import type { Bytes } from "../../chain/encoding/bytes.ts";
import type { Reader } from "../engine/database.ts";
import { KeyEntries } from "./keyEntries.ts";
import type { KeyTable } from "./keyTable.ts";
import { KEY_SPACE } from "./keyTable.ts";
import { unpackEntries } from "./packedEntries.ts";
import { RunFilter } from "./runFilter.ts";
import type { Run } from "./runs.ts";

/** For 89 million keys. Runs beyond it are searched without a filter. */
export const MAX_FILTER_BYTES = 128 << 20;

/** Rows of a run that are read at once, about 5 ms. */
const LEARNED_ROWS = 512;

interface Covered {
  readonly filter: RunFilter;
  /** It has all keys of the run from here on, and below the other one. */
  from: number;
  below: number;
}

/**
 * Filters of the runs of a table, so that a key is searched for in about one run. They are in memory alone: made with a
 * run, or from its rows in steps after a start. The nonce of a run says which run a filter belongs to, and a filter may
 * have more keys than its run, so neither a rollback nor another writer makes one wrong.
 */
export class RunFilters {
  readonly #maxBytes: number;
  readonly #blocksPerSegment: number | undefined;
  readonly #byNonce = new Map<number, Covered>();
  /** Runs whose filter had to go: it is not made again when there is room for a while. */
  readonly #withoutFilter = new Set<number>();

  constructor(maxBytes = MAX_FILTER_BYTES, blocksPerSegment?: number) {
    this.#maxBytes = maxBytes;
    this.#blocksPerSegment = blocksPerSegment;
  }

  get bytes(): number {
    let bytes = 0;
    for (const { filter } of this.#byNonce.values()) bytes += filter.bytes;
    return bytes;
  }

  /** Those of the keys that a run may have. */
  select({ low, high, nonce }: Run, keys: Float64Array): number[] {
    const { filter, from, below } = this.#byNonce.get(nonce) ?? { filter: undefined, from: 0, below: 0 };
    const selected: number[] = [];
    for (let at = 0; at < keys.length; at++) {
      const key = keys[at]!;
      if (key < low || key >= high) continue;
      if (filter === undefined || key < from || key >= below || filter.mayHave(key)) selected.push(key);
    }
    return selected;
  }

  /** Before the first entry of a run is written. */
  begin(run: Run, entries: number): void {
    this.#make(run, entries, 0);
  }

  /** Entries of the keys from `from` up to `to` were added to a run. */
  add({ nonce }: Run, entries: KeyEntries, from: number, to: number): void {
    const covered = this.#byNonce.get(nonce);
    if (covered === undefined) return;
    for (let at = 0; at < entries.length; at++) covered.filter.add(entries.first(at));
    if (covered.below >= from) covered.below = Math.max(covered.below, to);
    this.#keepBound();
  }

  /** Keys of a run below this one have moved to another. If that is rolled back, they are searched for without a filter. */
  release({ nonce }: Run, below: number): void {
    const covered = this.#byNonce.get(nonce);
    if (covered === undefined) return;
    covered.from = Math.max(covered.from, below);
    covered.filter.release(below);
  }

  /** Forgets runs that are gone, and reads some rows of a run that is not covered. */
  async learn(db: Reader, table: KeyTable, runs: readonly Run[]): Promise<void> {
    this.#keepOnly(runs);
    const run = runs.find((each) => this.#isUncovered(each));
    if (run === undefined) return;
    const covered = this.#byNonce.get(run.nonce) ?? this.#make(run, expectedEntries(run), run.low);
    const from = run.first + Math.floor(Math.max(covered.below, run.low) / run.width);
    const end = run.first + Math.ceil(run.high / run.width);
    const sql = `SELECT id, body FROM ${table.name}_body WHERE id >= ? AND id < ? ORDER BY id LIMIT ?`;
    const rows = await db.all<[id: number, body: Bytes]>(sql, from, end, LEARNED_ROWS);
    const entries = new KeyEntries();
    const packing = { ...table, ...run };
    for (const [id, body] of rows) unpackEntries(body, id, packing, Number.MAX_SAFE_INTEGER, entries);
    const isEnd = rows.length < LEARNED_ROWS;
    const to = isEnd ? run.high : (rows.at(-1)![0] + 1 - run.first) * run.width;
    this.add(run, entries, covered.below, to);
  }

  #isUncovered(run: Run): boolean {
    if (this.#withoutFilter.has(run.nonce) || run.low >= run.high) return false;
    const covered = this.#byNonce.get(run.nonce);
    return covered === undefined || covered.below < run.high;
  }

  #make(run: Run, entries: number, below: number): Covered {
    const covered = { filter: new RunFilter(entries, this.#blocksPerSegment), from: 0, below };
    this.#byNonce.set(run.nonce, covered);
    return covered;
  }

  /** The largest filters have to go first: they save one search each, as the smaller ones do. */
  #keepBound(): void {
    while (this.bytes > this.#maxBytes) {
      const [[largest]] = [...this.#byNonce].sort(([, a], [, b]) => b.filter.maxBytes - a.filter.maxBytes) as [
        [number, Covered],
      ];
      this.#byNonce.delete(largest);
      this.#withoutFilter.add(largest);
    }
  }

  #keepOnly(runs: readonly Run[]): void {
    const nonces = new Set(runs.map(({ nonce }) => nonce));
    for (const nonce of this.#byNonce.keys()) if (!nonces.has(nonce)) this.#byNonce.delete(nonce);
    for (const nonce of this.#withoutFilter) if (!nonces.has(nonce)) this.#withoutFilter.delete(nonce);
  }
}

/** Of a run that is still growing, when it is complete. */
const expectedEntries = ({ entries, high }: Run): number => Math.ceil((entries * KEY_SPACE) / high);
