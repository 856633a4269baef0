import type { Bytes } from "../../chain/encoding/bytes.ts";
import { EMPTY, equalBytes } from "../../chain/encoding/bytes.ts";
import type { Flavour } from "../../std/values.ts";
import { itemAt } from "../../std/values.ts";
import { valuesByKey } from "../dictionary/findValues.ts";
import type { KeyedHash } from "../dictionary/keyedHash.ts";
import type { Reader, Row, Value, Writer } from "../engine/database.ts";
import { readNumber } from "../engine/database.ts";
import { keysetPages } from "../engine/keysetPages.ts";
import { soughtKeys } from "../keys/findKeys.ts";
import { asBytes, ByteReader, ByteWriter, mustHave } from "../rows/encoding.ts";
import type { Id } from "../rows/ids.ts";
import type { Ordinal } from "../rows/position.ts";
import { AddedEntries } from "./addedEntries.ts";
import type { CutEnds, Entry, RunRow, SealRun, Tail } from "./listRuns.ts";
import {
  cutEntries,
  decodeEntries,
  encodeEntries,
  lastPosition,
  RUN,
  sliceRuns,
  tailStart,
  writeTail,
} from "./listRuns.ts";
import type { TailRow } from "./listTails.ts";
import { loadTails, NEW_TAIL } from "./listTails.ts";
import { searchRuns } from "./runSearch.ts";
import type { TailColumn } from "./tailCounters.ts";

/** By ordinal, oldest first. */
export interface OrdinalList<I extends string = "position"> {
  count(): Promise<number>;
  /** Ordinals [from, to). */
  slice(from: Ordinal, to: Ordinal): Promise<Flavour<number, I>[]>;
}

/** Also searchable by position. */
export interface SearchableList<I extends string = "position"> extends OrdinalList<I> {
  /** Ordinal of the first entry at or above each position. */
  ordinalsOf(positions: readonly Flavour<number, I>[]): Promise<Ordinal[]>;
}

export const NO_LIST: SearchableList = {
  count: async () => 0,
  slice: async () => [],
  ordinalsOf: async (positions) => positions.map(() => 0),
};

export interface Growth {
  readonly owner: number;
  readonly before: number;
  readonly after: number;
}

/** What a cut left of a list. */
export interface CutList extends Growth, CutEnds {}

/** Notified of every list that grows. */
export interface AdditionObserver {
  /** `newest` is the entry before those that are added, -1 in a new list. */
  add(owner: number, newest: number, entries: AddedEntries): void;
}

/** Entries of tagged lists carry a small number. */
export interface ListTable {
  readonly name: string;
  readonly isTagged: boolean;
}

/**
 * Positions by owner (transactions of an address, logs of a contract), dense by ordinal. Full runs of 128 delta-encoded
 * entries are sealed; the newest entries and the count are in the tail row. So a count is one read, any page one seek,
 * and an append touches one row. `O` is the owner's id type, `I` the entry type.
 */
export class ListReads<O extends string = string, I extends string = "position"> {
  readonly #db: Reader;
  readonly #tails: string;
  readonly #runs: string;
  readonly #isTagged: boolean;

  constructor(db: Reader, { name, isTagged }: ListTable) {
    this.#db = db;
    this.#tails = `${name}_tail`;
    this.#runs = `${name}_run`;
    this.#isTagged = isTagged;
  }

  async count(owner: Id<O>): Promise<number> {
    return readNumber(this.#db, `SELECT count FROM ${this.#tails} WHERE owner = ?`, owner);
  }

  async countEach(owners: readonly Id<O>[]): Promise<Map<Id<O>, number>> {
    const sql = `SELECT owner, count FROM ${this.#tails} WHERE owner IN ($keys)`;
    return new Map(await this.#db.load<[Id<O>, number]>(sql, owners));
  }

  /** Ordinals [from, to), oldest first. */
  async slice(owner: Id<O>, from: Ordinal, to: Ordinal): Promise<Entry<I>[]> {
    if (to <= from) return [];
    const [runs, [tail]] = await Promise.all([
      this.#runsIn(owner, from, to),
      this.#db.all<[number, Bytes]>(`SELECT count, body FROM ${this.#tails} WHERE owner = ?`, owner),
    ]);
    if (tail !== undefined) runs.push([tailStart(tail[0]), tail[1]]);
    return sliceRuns(runs, from, to, this.#isTagged);
  }

  #runsIn(owner: Id<O>, from: Ordinal, to: Ordinal): Promise<RunRow[]> {
    const sql = `SELECT ordinal, body FROM ${this.#runs} WHERE owner = ? AND ordinal > ? AND ordinal < ? ORDER BY ordinal`;
    return this.#db.all<RunRow>(sql, owner, from - RUN, to);
  }

  async #end(owner: Id<O>): Promise<ListEnd> {
    const sql = `SELECT ${END} FROM ${this.#tails} t LEFT JOIN ${this.#runs} r ON ${LAST_RUN} WHERE t.owner = ?`;
    const [row] = await this.#db.all<EndRow>(sql, owner);
    return readEnd(row ?? [0, EMPTY, null, null]);
  }

  /** Number of entries of the owner with this dictionary value. */
  async countOf(dictionary: string, hash: KeyedHash, value: Bytes): Promise<number> {
    const [, , count] = (await this.#findOwner<[number]>(dictionary, hash, value, "t.count")) ?? [];
    return count ?? 0;
  }

  /** The list of the owner that is a value of a dictionary, found together with its newest entries. */
  async find(dictionary: string, hash: KeyedHash, value: Bytes): Promise<SearchableList<I>> {
    const found = await this.#findOwner<EndRow>(dictionary, hash, value, END);
    if (found === undefined) return NO_LIST as SearchableList<I>;
    const [owner, , ...end] = found;
    return this.of(owner, readEnd(end));
  }

  async #findOwner<R extends Row>(dictionary: string, hash: KeyedHash, value: Bytes, columns: string) {
    const lists = `JOIN ${this.#tails} t ON t.owner = v.id LEFT JOIN ${this.#runs} r ON ${LAST_RUN}`;
    const sql = `SELECT v.id, v.value, ${columns} FROM ${valuesByKey(dictionary, this.#db.dialect, lists)}`;
    const rows = await this.#db.loadPairs<[Id<O>, Bytes, ...R]>(sql, soughtKeys([hash.key(value)]));
    return rows.find(([, known]) => equalBytes(asBytes(known), value));
  }

  /** By run number. */
  async #firstPositions(owner: Id<O>, runs: readonly number[]): Promise<Map<number, Flavour<number, I>>> {
    const sql = `SELECT ordinal, body FROM ${this.#runs} WHERE (owner, ordinal) IN ($pairs)`;
    const pairs = runs.map((run) => [owner, run * RUN] as const);
    const rows = await this.#db.loadPairs<RunRow>(sql, pairs);
    return new Map(rows.map(([ordinal, body]) => [ordinal / RUN, new ByteReader(body).varint()]));
  }

  /** Missing if there is no list. */
  async newest(owners: readonly Id<O>[]): Promise<Map<Id<O>, Flavour<number, I>>> {
    const sql = `SELECT owner, count, body FROM ${this.#tails} WHERE owner IN ($keys)`;
    const tails = await this.#db.load<[Id<O>, number, Bytes]>(sql, owners);
    const sealed = tails.filter(([, count]) => count % RUN === 0);
    const runs = await this.#db.loadPairs<[Id<O>, Bytes]>(
      `SELECT owner, body FROM ${this.#runs} WHERE (owner, ordinal) IN ($pairs)`,
      sealed.map(([owner, count]) => [owner, count - RUN] as const),
    );
    const bodies = [
      ...tails.filter(([, , body]) => body.length > 0).map(([owner, , body]) => [owner, body] as const),
      ...runs,
    ];
    return new Map(bodies.map(([owner, body]) => [owner, lastPosition(body, this.#isTagged)]));
  }

  /** One owner's list. It reads its newest entries once, and runs only for those before them. */
  of(owner: Id<O>, known?: ListEnd): SearchableList<I> {
    let end: Promise<ListEnd> | undefined = known && Promise.resolve(known);
    const readOnce = () => {
      end ??= this.#end(owner);
      return end;
    };
    const slice = async (from: Ordinal, to: Ordinal) => {
      if (to <= from) return [];
      const { start, runs, tail } = await readOnce();
      const rows = from < start ? await this.#runsIn(owner, from, to) : runs;
      return sliceRuns<I>([...rows, tail], from, to, this.#isTagged).map(({ position }) => position);
    };
    const firstPositions = (runs: readonly number[]) => this.#firstPositions(owner, runs);
    return {
      count: async () => (await readOnce()).count,
      slice,
      ordinalsOf: async (positions) => {
        const { count } = await readOnce();
        return searchRuns({ count, runLength: RUN, firstPositions, slice }, positions);
      },
    };
  }

  /** Owners in id order. */
  async *owners(chunk = 1000): AsyncGenerator<{ owner: Id<O>; count: number; entries: Entry<I>[] }> {
    for await (const [owner, count] of this.counts(chunk)) {
      yield { owner, count, entries: await this.slice(owner, 0, count) };
    }
  }

  /** Inclusive, in id order. */
  async *counts(
    chunk = 1000,
    min = Number.MIN_SAFE_INTEGER,
    max = Number.MAX_SAFE_INTEGER,
  ): AsyncGenerator<[owner: Id<O>, count: number]> {
    const sql = `SELECT owner, count FROM ${this.#tails} WHERE owner >= ? AND owner <= ? ORDER BY owner LIMIT ?`;
    const pages = keysetPages<[Id<O>, number]>(chunk, (last, count) =>
      this.#db.all(sql, last === undefined ? min : last[0] + 1, max, count),
    );
    for await (const rows of pages) yield* rows;
  }

  /** Of all owners. */
  async sealedRuns(): Promise<number> {
    return readNumber(this.#db, `SELECT count(*) FROM ${this.#runs}`);
  }
}

/** Write access: entries are added, then flushed. */
export class PositionList<O extends string = string, I extends string = "position"> {
  readonly #tails: string;
  readonly #runs: string;
  readonly #isTagged: boolean;
  readonly #others: readonly TailColumn[];
  readonly #observer: AdditionObserver | undefined;
  readonly #columns: readonly string[];
  #added = new AddedEntries();

  /** `others` are the other columns of its tail rows. They change only for owners to whose lists entries are added. */
  constructor({ name, isTagged }: ListTable, others: readonly TailColumn[] = [], observer?: AdditionObserver) {
    this.#tails = `${name}_tail`;
    this.#runs = `${name}_run`;
    this.#isTagged = isTagged;
    this.#others = others;
    this.#observer = observer;
    this.#columns = ["owner", "count", "body", ...others.map((column) => column.name)];
  }

  /** Positions of an owner must ascend. */
  add(owner: Id<O>, position: Flavour<number, I>, tag = 0): void {
    this.#added.add(owner, position, tag);
  }

  /** Skips a duplicate of the newest entry. */
  addOnce(owner: Id<O>, position: Flavour<number, I>): void {
    this.#added.addOnce(owner, position);
  }

  clear(): void {
    this.#added = new AddedEntries();
  }

  /** Owners from `firstNew` on have no tail and are not looked up. Adds lists with newly sealed runs to `grown`. */
  async flush(writer: Writer, firstNew: number, grown?: Growth[]): Promise<void> {
    const owners = this.#added.owners();
    const known = owners.filter((owner) => owner < firstNew);
    const tails = await loadTails(writer, this.#tails, this.#others, known);
    const sealed = this.#observer === undefined ? NONE_SEALED : await this.#sealedEnds(writer, tails);
    const runRows: Row[] = [];
    const grow = (some: readonly number[]) => this.#grownTails(some, tails, sealed, runRows);
    const isStored = (owner: number) => tails.has(owner);
    const isNew = (owner: number) => !tails.has(owner);
    await writer.update(this.#tails, this.#columns, grow(owners.filter(isStored)));
    await writer.insert(this.#tails, this.#columns, grow(owners.filter(isNew)));
    await writer.insert(this.#runs, ["owner", "ordinal", "body"], runRows);
    for (const owner of grown === undefined ? [] : owners) {
      const before = tails.get(owner)?.count ?? 0;
      const after = before + this.#added.count(owner);
      if (tailStart(after) > tailStart(before)) grown?.push({ owner, before, after });
    }
    this.clear();
  }

  /** Newest entries of lists whose tails are empty. */
  async #sealedEnds(db: Reader, tails: ReadonlyMap<number, TailRow>): Promise<Map<number, number>> {
    const ends: [owner: number, ordinal: Ordinal][] = [];
    for (const [owner, { count }] of tails) if (count % RUN === 0) ends.push([owner, count - RUN]);
    const sql = `SELECT owner, body FROM ${this.#runs} WHERE (owner, ordinal) IN ($pairs)`;
    const runs = await db.loadPairs<[number, Bytes]>(sql, ends);
    return new Map(runs.map(([owner, body]) => [owner, lastPosition(body, this.#isTagged)]));
  }

  *#grownTails(
    owners: readonly number[],
    tails: ReadonlyMap<number, TailRow>,
    sealed: ReadonlyMap<number, number>,
    runs: Row[],
  ): Iterable<Row> {
    const writer = new ByteWriter();
    const seal: SealRun = (...run) => runs.push(run);
    for (const owner of owners) {
      const tail = tails.get(owner) ?? NEW_TAIL;
      const start = writer.length;
      const newest = writeTail(tail, this.#added, owner, this.#isTagged, writer, seal);
      const end = newest < 0 ? (sealed.get(owner) ?? newest) : newest;
      this.#observer?.add(owner, end, this.#added);
      const row: Value[] = [owner, tail.count + this.#added.count(owner), writer.view(start)];
      for (let at = 0; at < this.#others.length; at++)
        row.push(itemAt(this.#others, at).next(owner, tail.others[at] ?? EMPTY));
      yield row;
    }
  }

  /** Drops entries at and above a position, and puts back what `restored` has of other columns. */
  async cut(
    writer: Writer,
    owners: readonly Id<O>[],
    position: Flavour<number, I>,
    restored: readonly TailColumn[] = [],
  ): Promise<CutList[]> {
    const tails = await loadTails(writer, this.#tails, this.#others, owners);
    const changed: Row[] = [];
    const emptied: Row[] = [];
    const unsealed: Row[] = [];
    const cut: CutList[] = [];
    for (const [owner, tail] of [...tails].sort(([a], [b]) => a - b)) {
      const before = tail.count;
      const ends = await this.#cutTail(writer, owner, tail, position, unsealed);
      cut.push({ owner, before, after: tail.count, ...ends });
      if (tail.count === 0) emptied.push([owner]);
      else changed.push([owner, tail.count, tail.body, ...restoredBytes(owner, tail, restored)]);
    }
    await writer.remove(this.#runs, ["owner", "ordinal"], unsealed);
    await writer.remove(this.#tails, ["owner"], emptied);
    await writer.upsert(this.#tails, this.#columns, changed);
    return cut;
  }

  async #cutTail(db: Reader, owner: number, tail: Tail, position: number, unsealed: Row[]): Promise<CutEnds> {
    let start = tailStart(tail.count);
    let { kept, ...ends } = cutEntries(this.#decode(tail.body), position);
    while (kept.length === 0 && start > 0) {
      const sql = `SELECT body FROM ${this.#runs} WHERE owner = ? AND ordinal = ?`;
      const [run] = await db.all<[Bytes]>(sql, owner, start - RUN);
      const cut = cutEntries(this.#decode(mustHave(run, "a run of a list")[0]), position);
      ends = { newest: cut.newest, oldestDropped: Math.min(cut.oldestDropped, ends.oldestDropped) };
      if (cut.kept.length === RUN) break;
      unsealed.push([owner, start - RUN]);
      start -= RUN;
      kept = cut.kept;
    }
    tail.count = start + kept.length;
    tail.body = encodeEntries(kept, this.#isTagged);
    return ends;
  }

  #decode(body: Bytes): Entry[] {
    return decodeEntries(body, this.#isTagged);
  }
}

const NONE_SEALED: ReadonlyMap<number, number> = new Map();

const restoredBytes = (owner: number, { others }: TailRow, columns: readonly TailColumn[]): Bytes[] =>
  others.map((stored, at) => columns[at]?.next(owner, stored) ?? stored);

/** The newest entries of a list, from the ordinal `start` on: the last full run, where there is one, and the tail. */
interface ListEnd {
  readonly count: number;
  readonly start: Ordinal;
  readonly runs: readonly RunRow[];
  readonly tail: RunRow;
}

/** Of a tail `t` and its last full run `r`. */
const END = "t.count, t.body, r.ordinal, r.body";
const LAST_RUN = `r.owner = t.owner AND r.ordinal = t.count - t.count % ${RUN} - ${RUN}`;

type EndRow = [count: number, tail: Bytes, ordinal: Ordinal | null, run: Bytes | null];

function readEnd([count, body, ordinal, run]: EndRow): ListEnd {
  const runs: RunRow[] = ordinal === null || run === null ? [] : [[ordinal, run]];
  return { count, start: ordinal ?? tailStart(count), runs, tail: [tailStart(count), body] };
}
