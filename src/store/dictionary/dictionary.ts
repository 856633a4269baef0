import type { Bytes } from "../../chain/encoding/bytes.ts";
import { ChainError } from "../../chain/error.ts";
import type { Reader, Row, Writer } from "../engine/database.ts";
import { keysetPages } from "../engine/keysetPages.ts";
import { KeyEntries } from "../keys/keyEntries.ts";
import { KeyIndex } from "../keys/keyIndex.ts";
import type { KeyMerges } from "../keys/keyMerges.ts";
import { dictionaryKeys, FINGERPRINTS } from "../keys/keyTable.ts";
import { RunFilters } from "../keys/runFilters.ts";
import type { Id } from "../rows/ids.ts";
import type { DictionaryRow } from "./findValues.ts";
import type { KeyedHash } from "./keyedHash.ts";
import { readWords } from "./keyedHash.ts";
import { WordTable } from "./wordTable.ts";

const UNKNOWN = 0;
const CUT_BATCH_SIZE = 10_000;
const MAX_USES = 255;

/**
 * Assigns integer ids in order of first appearance, so that an unwind releases them and equal chains have equal ids.
 * Two passes: `note` every value of a batch, `load` once, then map entries to ids.
 */
export class Dictionary<D extends string = string> {
  readonly #table: string;
  readonly #hash: KeyedHash;
  readonly #fingerprints: KeyedHash;
  readonly #capacity: number;
  readonly #values: WordTable;
  #ids!: Uint32Array;
  #uses!: Uint8Array;
  #loaded = 0;
  readonly #keys: KeyIndex;
  #fresh: number[] = [];

  /** `size` in bytes per value. Caches up to `capacity` values, the most frequent ones. */
  constructor(hash: KeyedHash, table: string, size: number, capacity: number, merges?: KeyMerges) {
    this.#hash = hash;
    this.#fingerprints = fingerprintHash(hash);
    this.#table = table;
    this.#values = new WordTable(hash, size / 4);
    this.#capacity = capacity;
    this.#keys = new KeyIndex(dictionaryKeys(table), merges, new RunFilters());
    this.clear();
  }

  /** Drops the cache, after an unwind or a failed transaction. */
  clear(): void {
    this.#values.clear();
    this.#keys.clear();
    this.#ids = new Uint32Array(this.#values.room);
    this.#uses = new Uint8Array(this.#values.room);
    this.#loaded = 0;
    this.#fresh = [];
  }

  /** Valid until the next flush. */
  note(value: Bytes, at = 0): number {
    readWords(value, at, this.#values.lookupKey);
    const entry = this.#values.note();
    if (this.#ids.length < this.#values.room) this.#grow();
    if (this.#uses[entry]! < MAX_USES) this.#uses[entry]!++;
    return entry;
  }

  get noted(): number {
    return this.#values.count - this.#loaded;
  }

  /**
   * Finds noted values in the database and assigns ids from `next` on to new ones. `marks` are values of `noted`
   * between blocks. Returns the number of ids assigned up to each mark.
   */
  async load(db: Reader, next: number, marks: readonly number[]): Promise<number[]> {
    await this.#loadKnown(db);
    const first = this.#loaded;
    const counts: number[] = [];
    let id = next;
    let entry = first;
    for (const mark of marks) {
      for (; entry < first + mark; entry++) {
        if (this.#ids[entry] !== UNKNOWN) continue;
        this.#ids[entry] = id++;
        this.#fresh.push(entry);
      }
      counts.push(id - next);
    }
    this.#loaded = this.#values.count;
    return counts;
  }

  /** All noted values must exist. */
  async loadKnown(db: Reader): Promise<void> {
    if (this.noted === 0) return;
    await this.#loadKnown(db);
    for (let entry = this.#loaded; entry < this.#values.count; entry++) {
      if (this.#ids[entry] === UNKNOWN) throw new ChainError("store_corrupt", `a value is missing from ${this.#table}`);
    }
    this.#loaded = this.#values.count;
  }

  /** Releases ids above `keep`, in batches. */
  async cut(writer: Writer, keep: number): Promise<void> {
    const sql = `SELECT id, value FROM ${this.#table} WHERE id > ? ORDER BY id LIMIT ?`;
    const pages = keysetPages<DictionaryRow>(CUT_BATCH_SIZE, (last, count) =>
      writer.all(sql, last?.[0] ?? keep, count),
    );
    for await (const rows of pages) {
      const hashes = rows.map(([id, value]): Row => [this.#hash.key(value), id]);
      await this.#keys.cut(writer, hashes, keep);
    }
    await writer.run(`DELETE FROM ${this.#table} WHERE id > ?`, keep);
    this.clear();
  }

  id(entry: number): Id<D> {
    return this.#ids[entry]!;
  }

  get fresh(): number {
    return this.#fresh.length;
  }

  freshValues(from: number, to: number): Bytes {
    const size = this.#values.width * 4;
    const values = new Uint8Array((to - from) * size);
    for (let at = from; at < to; at++) values.set(this.#values.bytes(this.#fresh[at]!), (at - from) * size);
    return values;
  }

  async flush(writer: Writer): Promise<void> {
    await writer.insert(this.#table, ["id", "value"], this.#freshRows());
    const keys = new KeyEntries();
    for (const entry of this.#fresh) keys.add(this.#values.key(entry), this.#ids[entry]!, this.#fingerprint(entry));
    await this.#keys.add(writer, keys);
    this.#fresh = [];
    this.trim();
  }

  /** Keeps the cache within its capacity. Values that are not written yet stay. */
  trim(): void {
    if (this.#fresh.length === 0 && this.#values.count > this.#capacity) this.#evict();
  }

  *#freshRows(): Iterable<Row> {
    for (const entry of this.#fresh) yield [this.#ids[entry]!, this.#values.bytes(entry)];
  }

  /** By key and fingerprint: to read and compare the values would take as long again. */
  async #loadKnown(db: Reader): Promise<void> {
    const keys: number[] = [];
    for (let entry = this.#loaded; entry < this.#values.count; entry++) keys.push(this.#values.key(entry));
    const found = await this.#keys.find(db, keys);
    const byKey = new Map<number, number[]>();
    for (let at = 0; at < found.length; at++) {
      const same = byKey.get(found.first(at));
      if (same === undefined) byKey.set(found.first(at), [at]);
      else same.push(at);
    }
    for (const [at, key] of keys.entries()) {
      const candidates = byKey.get(key);
      if (candidates === undefined) continue;
      const entry = this.#loaded + at;
      const fingerprint = this.#fingerprint(entry);
      const own = candidates.find((candidate) => found.fingerprint(candidate) === fingerprint);
      if (own !== undefined) this.#ids[entry] = found.second(own);
    }
  }

  #fingerprint(entry: number): number {
    return this.#values.key(entry, this.#fingerprints) % FINGERPRINTS;
  }

  /** Keeps the most frequent values and, of the rest, the newest. */
  #evict(): void {
    const kept = this.#retained();
    this.#values.retain(kept);
    for (const [entry, old] of kept.entries()) {
      this.#ids[entry] = this.#ids[old]!;
      this.#uses[entry] = this.#uses[old]! >> 1;
    }
    this.#ids.fill(UNKNOWN, kept.length);
    this.#uses.fill(0, kept.length);
    this.#loaded = kept.length;
  }

  /** Three quarters of the capacity, oldest first. */
  #retained(): Uint32Array {
    const { count } = this.#values;
    const byUses = new Uint32Array(MAX_USES + 1);
    for (let entry = 0; entry < count; entry++) byUses[this.#uses[entry]!]!++;
    let [min, spare] = [MAX_USES + 1, Math.min(count, Math.floor(this.#capacity * 0.75))];
    const kept = new Uint32Array(spare);
    while (min > 0 && byUses[min - 1]! <= spare) spare -= byUses[--min]!;
    for (let entry = count - 1, at = kept.length; at > 0; entry--) {
      const uses = this.#uses[entry]!;
      if (uses >= min || (uses === min - 1 && spare-- > 0)) kept[--at] = entry;
    }
    return kept;
  }

  #grow(): void {
    const [ids, uses] = [this.#ids, this.#uses];
    this.#ids = new Uint32Array(this.#values.room);
    this.#uses = new Uint8Array(this.#values.room);
    this.#ids.set(ids);
    this.#uses.set(uses);
  }
}

/** Fingerprints are its keys modulo `FINGERPRINTS`. */
export const fingerprintHash = (hash: KeyedHash): KeyedHash => hash.derive("fingerprint");

/** First 52 bits of a block or transaction hash, which nobody can choose. */
export function prefixOf(value: Bytes): number {
  let prefix = 0;
  for (let i = 0; i < 6; i++) prefix = prefix * 256 + value[i]!;
  return prefix * 16 + (value[6]! >> 4);
}
