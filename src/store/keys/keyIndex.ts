import { settleAll } from "../../std/async.ts";
import type { Reader, Row, Writer } from "../engine/database.ts";
import { readNumber } from "../engine/database.ts";
import type { EntryRow } from "./findEntries.ts";
import { findEntries } from "./findEntries.ts";
import { KeyEntries } from "./keyEntries.ts";
import { KeyMerges } from "./keyMerges.ts";
import type { KeyTable } from "./keyTable.ts";
import { entryColumns, KEY_SPACE, rowColumns } from "./keyTable.ts";
import type { MergedKeys } from "./merge.ts";
import { levelOf, mergePiece } from "./merge.ts";
import { bucketWidth, packEntries } from "./packedEntries.ts";
import { RunFilters } from "./runFilters.ts";
import type { Run } from "./runs.ts";
import { endOf, newNonce, packedUpTo, readRuns, writeRuns } from "./runs.ts";

interface State extends MergedKeys {
  /** Rows that are to be packed. */
  waiting: number;
}

/** Entries owed are merged from this part of a piece on. */
const MIN_PIECES = 8;

/**
 * Write access to a key table. Entries are rows first; when there are many, all become a sealed run of packed entries,
 * and runs are merged as entries are added. So writes are appends, whatever the size of the table.
 */
export class KeyIndex {
  readonly #table: KeyTable;
  readonly #merges: KeyMerges;
  readonly #filters: RunFilters;
  #state: State | undefined;
  /** Entries to be merged. */
  #owed = 0;

  /** Filters are for a table in which its writer looks up many keys. */
  constructor(table: KeyTable, merges = new KeyMerges(), filters = new RunFilters(0)) {
    this.#table = table;
    this.#merges = merges;
    this.#filters = filters;
  }

  /** Entries with some of the keys. */
  async find(db: Reader, keys: readonly number[]): Promise<KeyEntries> {
    const state = await this.#current(db);
    const [found] = await settleAll([findEntries(db, state, keys), this.#filters.learn(db, this.#table, state.runs)]);
    return found;
  }

  /** Drops what is known of the table, after a failed transaction. */
  clear(): void {
    this.#state = undefined;
  }

  /** Values must be above all that were added and not cut. */
  async add(writer: Writer, added: KeyEntries): Promise<void> {
    if (added.length === 0) return;
    const state = await this.#current(writer);
    const { rows, paceBase, paceFactor, perCommit } = this.#merges.sizes;
    if (state.waiting + added.length < rows) {
      await this.#insertRows(writer, added);
      state.waiting += added.length;
      for (let at = 0; at < added.length; at++) state.rowKeys?.add(added.first(at));
    } else {
      await this.#seal(writer, state, added);
    }
    this.#owed += paceBase + paceFactor * added.length;
    await this.#merge(writer, state, perCommit);
    if (this.#isBehind) this.#merges.owe(this);
  }

  /** Merges one piece of what commits had no room for. Returns whether there is more. */
  async mergeOwed(writer: Writer): Promise<boolean> {
    await this.#merge(writer, await this.#current(writer), this.#merges.sizes.piece);
    return this.#isBehind;
  }

  /** Removes all values above `keep`: of rows those that are given, of runs at one stroke. */
  async cut(writer: Writer, rows: Iterable<Row>, keep: number): Promise<void> {
    const { name } = this.#table;
    await writer.remove(name, ["prefix", "value"], rows);
    await writer.run(`UPDATE ${name}_run SET highest = ? WHERE highest > ?`, keep, keep);
    this.clear();
  }

  async #current(db: Reader): Promise<State> {
    this.#state ??= await this.#read(db);
    return this.#state;
  }

  async #read(db: Reader): Promise<State> {
    const { name } = this.#table;
    const runs = await readRuns(db, name);
    const sql = `SELECT count(*) FROM ${name} WHERE value > ?`;
    const waiting = await readNumber(db, sql, packedUpTo(runs));
    return { table: this.#table, runs, filters: this.#filters, rowKeys: undefined, waiting };
  }

  async #seal(writer: Writer, state: State, added: KeyEntries): Promise<void> {
    const { name } = this.#table;
    const { runs } = state;
    const entries = await this.#takeRows(writer, packedUpTo(runs));
    for (let at = 0; at < added.length; at++) entries.add(added.first(at), added.second(at), added.fingerprint(at));
    const packing = { ...this.#table, first: endOf(runs), width: bucketWidth(entries.length) };
    const rest = new KeyEntries();
    await writer.insert(`${name}_body`, ["id", "body"], packEntries(entries, packing, rest));
    await this.#insertRows(writer, rest);
    const { lowest, highest } = entries.seconds();
    const count = entries.length - rest.length;
    const { first, width } = packing;
    const level = levelOf(count, this.#merges.sizes);
    const sealed = { low: 0, high: KEY_SPACE, lowest, highest, entries: count, target: null, nonce: newNonce() };
    const run: Run = { first, level, width, ...sealed };
    await writeRuns(writer, name, [run]);
    runs.push(run);
    this.#filters.begin(run, entries.length);
    this.#filters.add(run, entries, 0, KEY_SPACE);
    state.waiting = 0;
    state.rowKeys = undefined;
  }

  async #takeRows(writer: Writer, above: number): Promise<KeyEntries> {
    const { name } = this.#table;
    const entries = new KeyEntries();
    const sql = `SELECT ${entryColumns(this.#table)} FROM ${name} WHERE value > ?`;
    for (const row of await writer.all<EntryRow>(sql, above)) entries.add(...row);
    await writer.run(`DELETE FROM ${name} WHERE value > ?`, above);
    return entries;
  }

  #insertRows(writer: Writer, entries: KeyEntries): Promise<void> {
    const { name, fingerprintDigits } = this.#table;
    return writer.insert(name, rowColumns(this.#table), entries.rows(fingerprintDigits > 0));
  }

  /** A small rest is merged with the next commit: a piece costs statements whatever its size. */
  get #isBehind(): boolean {
    return this.#owed >= this.#merges.sizes.piece / MIN_PIECES;
  }

  async #merge(writer: Writer, state: State, limit: number): Promise<void> {
    for (let left = Math.min(limit, this.#owed); left > 0 && this.#isBehind; ) {
      const moved = await mergePiece(writer, state, this.#merges.sizes, left);
      this.#owed = moved === 0 ? 0 : Math.max(0, this.#owed - moved);
      if (moved === 0) return;
      left -= moved;
    }
  }
}
