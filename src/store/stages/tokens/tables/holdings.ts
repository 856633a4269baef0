import type { Bytes } from "../../../../chain/encoding/bytes.ts";
import type { KeyedHash } from "../../../dictionary/keyedHash.ts";
import type { KeyPage } from "../../../dictionary/keyFilter.ts";
import { KeyFilter } from "../../../dictionary/keyFilter.ts";
import { WordTable } from "../../../dictionary/wordTable.ts";
import type { Reader, Row, Writer } from "../../../engine/database.ts";
import { viewOf } from "../../../rows/byteRange.ts";
import { ByteReader, ByteWriter } from "../../../rows/encoding.ts";
import type { AddressId } from "../../../rows/ids.ts";
import { IntegerPairs } from "../../../rows/integerPairs.ts";
import type { PackedColumns, PackedRow } from "../../../rows/packedRows.ts";
import { integersOf, unpackRows } from "../../../rows/packedRows.ts";
import type { Position } from "../../../rows/position.ts";
import { appendSigned, readSigned } from "../../../rows/signedAmount.ts";
import { AddedEntries } from "../../../tables/addedEntries.ts";
import type { SealRun, Tail } from "../../../tables/listRuns.ts";
import { NO_TAIL, RUN, tailStart, writeTail } from "../../../tables/listRuns.ts";
import { HoldingCounts } from "./holdingCounts.ts";

/** Balance and transfer list of an address for a token or item. */
interface Holding {
  readonly amount: bigint;
  readonly transfers: Tail;
}

const NOTHING: Holding = { amount: 0n, transfers: NO_TAIL };

export interface HoldingChange {
  readonly address: AddressId;
  readonly asset: number;
  readonly before: bigint;
  readonly after: bigint;
  /** 1 if the row was created, -1 if it was deleted. */
  readonly rows: 1 | 0 | -1;
}

interface Draft {
  amount: bigint;
  /** As stored. */
  stored: Holding;
  isStored: boolean;
  isChanged: boolean;
  /** Block of the last journal entry. */
  journaled: number;
}

/** Addresses and values, and assets. */
type PackedHoldings = [...PackedColumns, assets: string | null];

/** Primary key. */
type HoldingKey = readonly [address: AddressId, asset: number];

const COLUMNS = ["address", "asset", "value"] as const;
const RUN_COLUMNS = ["address", "asset", "ordinal", "body"] as const;
const JOURNAL_COLUMNS = ["block", "address", "asset", "before"] as const;

/**
 * One row per address and asset with balance and transfer list, so that a transfer touches one row on either side.
 * Loaded per batch, changed in memory, written once; values before unwindable blocks are journaled.
 */
export class Holdings {
  readonly #table: string;
  readonly #hash: KeyedHash;
  readonly #pairs: WordTable;
  readonly #filter = new KeyFilter<HoldingKey>((db, after, limit) => this.#readKeys(db, after, limit));
  readonly #counts: HoldingCounts;
  #areCounted = false;
  /** Rows are views of it. */
  #writer = new ByteWriter();
  #drafts: Draft[] = [];
  #loaded = 0;
  #added = new AddedEntries();
  #journal: Row[] = [];
  #block: number | undefined;

  constructor(hash: KeyedHash, table: string, counts = new HoldingCounts()) {
    this.#table = table;
    this.#hash = hash;
    this.#pairs = new WordTable(hash, 2);
    this.#counts = counts;
  }

  clear(): void {
    this.#pairs.clear();
    this.#drafts = [];
    this.#loaded = 0;
    this.#added = new AddedEntries();
    this.#writer = new ByteWriter();
    this.#journal = [];
    this.#block = undefined;
  }

  /** Whether all rows of the table are in the counts. */
  get areCounted(): boolean {
    return this.#areCounted;
  }

  note(address: AddressId, asset: number): number {
    this.#seek(address, asset);
    const entry = this.#pairs.note();
    if (entry === this.#drafts.length) {
      this.#drafts.push({ amount: 0n, stored: NOTHING, isStored: false, isChanged: false, journaled: -1 });
    }
    return entry;
  }

  async load(db: Reader): Promise<void> {
    await this.#filter.learn(db);
    const wanted: [number, number][] = [];
    for (let entry = this.#loaded; entry < this.#pairs.count; entry++) {
      const key = this.#pairs.key(entry);
      if (this.#filter.add(key)) wanted.push(this.#pair(entry));
    }
    this.#loaded = this.#pairs.count;
    for (const [keys, sizes, bytes, assets] of await this.#loadRows(db, wanted)) {
      const ofAssets = integersOf(assets ?? "");
      for (const [at, row] of unpackRows([[keys, sizes, bytes]]).entries()) this.#keep(row, ofAssets[at]!);
    }
  }

  #keep(row: PackedRow, asset: number): void {
    this.#seek(row.key, asset);
    const draft = this.#drafts[this.#pairs.find()]!;
    draft.stored = readHolding(viewOf(row));
    draft.amount = draft.stored.amount;
    draft.isStored = true;
  }

  /** Undefined: final, not journaled. */
  begin(block: number | undefined): void {
    this.#block = block;
  }

  /** Returns the previous balance. */
  move(entry: number, by: bigint): bigint {
    const draft = this.#touch(entry);
    const before = draft.amount;
    draft.amount += by;
    return before;
  }

  list(entry: number, position: Position): void {
    this.#touch(entry);
    this.#added.addOnce(entry, position);
  }

  /** Balances that differ from the stored ones. */
  changes(): HoldingChange[] {
    const changes: HoldingChange[] = [];
    for (let entry = 0; entry < this.#drafts.length; entry++) {
      const { amount, stored, isStored, isChanged } = this.#drafts[entry]!;
      if (!isChanged || (isStored && amount === stored.amount)) continue;
      const [address, asset] = this.#pair(entry);
      changes.push({ address, asset, before: stored.amount, after: amount, rows: isStored ? 0 : 1 });
    }
    return changes;
  }

  async flush(writer: Writer): Promise<void> {
    const runs: Row[] = [];
    await writer.update(this.#table, COLUMNS, this.#rows(runs, true), 2);
    await writer.insert(this.#table, COLUMNS, this.#rows(runs, false));
    if (runs.length > 0) await writer.insert(`${this.#table}_run`, RUN_COLUMNS, runs);
    await writer.insert(`${this.#table}_journal`, JOURNAL_COLUMNS, this.#journal);
    this.clear();
  }

  /** Restores values from before `block`. Returns the changes. */
  async restore(writer: Writer, block: number): Promise<HoldingChange[]> {
    const sql = `SELECT address, asset, before FROM ${this.#table}_journal WHERE block >= ? ORDER BY block DESC`;
    const before = new Map<number, Bytes | null>();
    for (const [address, asset, value] of await writer.all<[AddressId, number, Bytes | null]>(sql, block)) {
      before.set(this.note(address, asset), value);
    }
    await this.load(writer);
    const changes: HoldingChange[] = [];
    const [gone, back, unsealed]: [Row[], Row[], Row[]] = [[], [], []];
    for (const [entry, value] of before) {
      const [address, asset] = this.#pair(entry);
      const [now, then] = [this.#drafts[entry]!.stored, value === null ? NOTHING : readHolding(value)];
      changes.push({ address, asset, before: now.amount, after: then.amount, rows: value === null ? -1 : 0 });
      if (value === null) gone.push([address, asset]);
      else back.push([address, asset, value]);
      for (let run = tailStart(then.transfers.count); run < tailStart(now.transfers.count); run += RUN) {
        unsealed.push([address, asset, run]);
      }
    }
    await writer.remove(this.#table, ["address", "asset"], gone);
    await writer.upsert(this.#table, COLUMNS, back, 2);
    if (unsealed.length > 0) await writer.remove(`${this.#table}_run`, ["address", "asset", "ordinal"], unsealed);
    await writer.run(`DELETE FROM ${this.#table}_journal WHERE block >= ?`, block);
    this.clear();
    return changes;
  }

  *#rows(runs: Row[], areStored: boolean): Iterable<Row> {
    const seal = (entry: number, start: number, body: Bytes) => runs.push([...this.#pair(entry), start, body]);
    const changed = this.#changed(areStored);
    for (const at of changed.leadingOrder()) {
      const [address, entry] = [changed.first(at), changed.second(at)];
      const asset = this.#pairs.word(entry, 1) >>> 0;
      const value = this.#encode(entry, seal);
      if (!areStored) this.#counts.add(address);
      yield [address, asset, value];
    }
  }

  /** By address, for locality of writes. */
  #changed(areStored: boolean): IntegerPairs {
    const changed = new IntegerPairs();
    for (let entry = 0; entry < this.#drafts.length; entry++) {
      const { isChanged, isStored } = this.#drafts[entry]!;
      if (isChanged && isStored === areStored) changed.add(this.#pairs.word(entry, 0) >>> 0, entry);
    }
    return changed;
  }

  /** Includes transfers listed in this batch. */
  #encode(entry: number, seal: SealRun): Bytes {
    const { amount, stored } = this.#drafts[entry]!;
    const writer = this.#writer;
    const start = writer.length;
    writeHead(amount, stored.transfers.count + this.#added.count(entry), writer);
    writeTail(stored.transfers, this.#added, entry, false, writer, seal);
    return writer.view(start);
  }

  #touch(entry: number): Draft {
    const draft = this.#drafts[entry]!;
    if (this.#block !== undefined && draft.journaled !== this.#block) {
      const isNew = !draft.isStored && !draft.isChanged;
      const before = isNew ? null : this.#encode(entry, () => {});
      this.#journal.push([this.#block, ...this.#pair(entry), before]);
      draft.journaled = this.#block;
    }
    draft.isChanged = true;
    return draft;
  }

  #loadRows(db: Reader, pairs: readonly (readonly [number, number])[]): Promise<PackedHoldings[]> {
    const { pack, packIntegers } = db.dialect;
    const columns = `${pack("address", "value")}, ${packIntegers("asset")}`;
    const sql = `SELECT ${columns} FROM ${this.#table} WHERE (address, asset) IN ($pairs)`;
    return db.loadPairs(sql, pairs);
  }

  async #readKeys(db: Reader, after: HoldingKey = [-1, -1], limit: number): Promise<KeyPage<HoldingKey>> {
    const sql = `SELECT address, asset FROM ${this.#table} WHERE (address, asset) > (?, ?) ORDER BY 1, 2 LIMIT ?`;
    const rows = await db.all<[number, number]>(sql, ...after, limit);
    this.#count(rows, limit);
    const keys = rows.map((pair) => this.#hash.keyOfWords(Int32Array.from(pair), 0, 2));
    return { keys, last: rows.at(-1) };
  }

  #count(rows: readonly HoldingKey[], limit: number): void {
    for (const [address] of rows) this.#counts.add(address);
    this.#areCounted = rows.length < limit;
  }

  #seek(address: AddressId, asset: number): void {
    this.#pairs.lookupKey[0] = address;
    this.#pairs.lookupKey[1] = asset;
  }

  #pair(entry: number): [number, number] {
    return [this.#pairs.word(entry, 0) >>> 0, this.#pairs.word(entry, 1) >>> 0];
  }
}

function writeHead(amount: bigint, transfers: number, writer: ByteWriter): void {
  appendSigned(amount, writer);
  writer.varint(transfers);
}

export function writeHolding({ amount, transfers }: Holding): Bytes {
  const writer = new ByteWriter(256);
  writeHead(amount, transfers.count, writer);
  writer.raw(transfers.body);
  return writer.copy();
}

export function readHolding(value: Bytes): Holding {
  const reader = new ByteReader(value);
  return { amount: readSigned(reader.string()), transfers: { count: reader.varint(), body: reader.rest() } };
}
