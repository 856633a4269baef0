import type { Bytes } from "../../chain/encoding/bytes.ts";
import type { Reader } from "../engine/database.ts";
import { IntegerPairs } from "../rows/integerPairs.ts";
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
  /** It has all keys of the run below this one. */
  below: number;
}

/**
 * Filters of the runs of a table, so that a key is searched for in about one run. They are in memory alone: made with a
 * run, or from its rows in steps after a start. The nonce of a run says which run a filter belongs to, and a filter may
 * have more keys than its run, so neither a rollback nor another writer makes one wrong.
 */
export class RunFilters {
  readonly #maxBytes: number;
  readonly #byNonce = new Map<number, Covered>();
  /** Runs whose filter had to go: it is not made again when there is room for a while. */
  readonly #withoutFilter = new Set<number>();
  #bytes = 0;

  constructor(maxBytes = MAX_FILTER_BYTES) {
    this.#maxBytes = maxBytes;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Those of the keys that a run may have. */
  select({ low, high, nonce }: Run, keys: readonly number[]): number[] {
    const { filter, below } = this.#byNonce.get(nonce) ?? { filter: undefined, below: 0 };
    return keys.filter((key) => key >= low && key < high && (key >= below || filter!.mayHave(key)));
  }

  /** Before the first entry of a run is written. */
  begin(run: Run, entries: number): void {
    this.#make(run, entries, 0);
  }

  /** Entries of the keys from `from` up to `to` were added to a run. */
  add({ nonce }: Run, entries: IntegerPairs, from: number, to: number): void {
    const covered = this.#byNonce.get(nonce);
    if (covered === undefined) return;
    for (let at = 0; at < entries.length; at++) covered.filter.add(entries.first(at));
    if (covered.below >= from) covered.below = Math.max(covered.below, to);
  }

  /** Forgets runs that are gone, and reads some rows of a run that is not covered. */
  async learn(db: Reader, table: KeyTable, runs: readonly Run[]): Promise<void> {
    this.#keepOnly(runs);
    const run = runs.find((each) => this.#isUncovered(each));
    if (run === undefined) return;
    const covered = this.#byNonce.get(run.nonce) ?? this.#make(run, expectedEntries(run), run.low);
    if (covered === undefined) return;
    const from = run.first + Math.floor(Math.max(covered.below, run.low) / run.width);
    const end = run.first + Math.ceil(run.high / run.width);
    const sql = `SELECT id, body FROM ${table.name}_body WHERE id >= ? AND id < ? ORDER BY id LIMIT ?`;
    const rows = await db.all<[id: number, body: Bytes]>(sql, from, end, LEARNED_ROWS);
    const entries = new IntegerPairs();
    const packing = { ...run, valueDigits: table.valueDigits };
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

  /** The largest filters have to go for smaller ones: they save one search in the most runs. */
  #make(run: Run, entries: number, below: number): Covered | undefined {
    const needed = RunFilter.bytesFor(entries);
    while (this.#bytes + needed > this.#maxBytes) {
      const largest = [...this.#byNonce].reduce<[number, Covered] | undefined>(
        (most, each) => (most === undefined || each[1].filter.bytes > most[1].filter.bytes ? each : most),
        undefined,
      );
      if (largest === undefined || largest[1].filter.bytes <= needed) {
        this.#withoutFilter.add(run.nonce);
        return undefined;
      }
      this.#remove(largest[0]);
      this.#withoutFilter.add(largest[0]);
    }
    const covered = { filter: new RunFilter(entries), below };
    this.#byNonce.set(run.nonce, covered);
    this.#bytes += covered.filter.bytes;
    return covered;
  }

  #keepOnly(runs: readonly Run[]): void {
    const nonces = new Set(runs.map(({ nonce }) => nonce));
    for (const nonce of this.#byNonce.keys()) if (!nonces.has(nonce)) this.#remove(nonce);
    for (const nonce of this.#withoutFilter) if (!nonces.has(nonce)) this.#withoutFilter.delete(nonce);
  }

  #remove(nonce: number): void {
    const covered = this.#byNonce.get(nonce);
    if (covered === undefined) return;
    this.#byNonce.delete(nonce);
    this.#bytes -= covered.filter.bytes;
  }
}

/** Of a run that is still growing, when it is complete. */
const expectedEntries = ({ entries, high }: Run): number => Math.ceil((entries * KEY_SPACE) / high);
