import { randomInt } from "node:crypto";
import type { Bytes } from "../chain/bytes.ts";
import type { Engine, Row } from "./engine/engine.ts";

const UNKNOWN = 0;

/**
 * Small integer ids for addresses and event signatures, given out in order of first appearance, so that unwinding
 * gives them back and the same chain always yields the same ids. Used in two passes: `note` every value of a batch,
 * `load` once, then ask for `id`s.
 */
export class Dictionary {
  readonly #engine: Engine;
  readonly #table: string;
  readonly #width: number;
  readonly #capacity: number;
  /** Hostile values could be made to collide under a known hash, so each process has its own. */
  readonly #seed = randomInt(2 ** 31);
  #mask!: number;
  #keys!: Uint8Array;
  #ids!: Uint32Array;
  #used!: Uint8Array;
  #count = 0;
  #pending: number[] = [];
  #fresh: Row[] = [];

  constructor(engine: Engine, table: string, width: number, capacity: number) {
    this.#engine = engine;
    this.#table = table;
    this.#width = width;
    this.#capacity = capacity;
    this.#allocate(1 << 10);
  }

  /** Forgets the cache: after an unwind, or when a transaction failed and the ids given out are void. */
  clear(): void {
    this.#allocate(1 << 10);
    this.#pending = [];
    this.#fresh = [];
  }

  note(value: Bytes, at = 0): void {
    const slot = this.#find(value, at);
    if (this.#used[slot] === 1) return;
    this.#used[slot] = 1;
    this.#keys.set(
      at === 0 && value.length === this.#width ? value : value.subarray(at, at + this.#width),
      slot * this.#width,
    );
    this.#ids[slot] = UNKNOWN;
    this.#pending.push(slot);
    if (++this.#count * 2 > this.#mask) this.#grow();
  }

  /** How many values noted since the last load are not known yet; `load` may still find them in the database. */
  get noted(): number {
    return this.#pending.length;
  }

  /**
   * Finds the noted values in the database and gives new ids, from `next` on, to those that are not there.
   * `marks` are values of `noted` taken between blocks; the answer is the number of ids given out up to each mark.
   */
  async load(next: number, marks: readonly number[]): Promise<number[]> {
    await this.#loadKnown();
    const counts: number[] = [];
    let id = next;
    let at = 0;
    for (const mark of marks) {
      for (; at < mark; at++) {
        const slot = this.#pending[at]!;
        if (this.#ids[slot] !== UNKNOWN) continue;
        this.#ids[slot] = id;
        this.#fresh.push([id, this.#value(slot).slice()]);
        id++;
      }
      counts.push(id - next);
    }
    this.#pending = [];
    return counts;
  }

  /** The id of a value that was noted and loaded. */
  id(value: Bytes, at = 0): number {
    return this.#ids[this.#find(value, at)]!;
  }

  /** The rows of the ids given out by the last load. */
  get fresh(): readonly Row[] {
    return this.#fresh;
  }

  async flush(): Promise<void> {
    await this.#engine.insert(this.#table, ["id", "value"], this.#fresh);
    const index = this.#fresh.map(([id, value]): Row => [prefixOf(value as Bytes), id!]);
    index.sort((a, b) => (a[0] as number) - (b[0] as number) || (a[1] as number) - (b[1] as number));
    await this.#engine.insert(`${this.#table}_hash`, ["prefix", "id"], index);
    this.#fresh = [];
    if (this.#count > this.#capacity) this.clear();
  }

  async #loadKnown(): Promise<void> {
    const prefixes = this.#pending.map((slot) => prefixOf(this.#value(slot)));
    const rows = await this.#engine.load(lookupSql(this.#table), prefixes);
    for (const [id, value] of rows) {
      const slot = this.#find(value as Bytes, 0);
      if (this.#used[slot] === 1) this.#ids[slot] = id as number;
    }
  }

  #value(slot: number): Bytes {
    return this.#keys.subarray(slot * this.#width, (slot + 1) * this.#width);
  }

  /** The slot that holds the value, or the free one where it belongs. */
  #find(value: Bytes, at: number): number {
    const width = this.#width;
    let slot = this.#hash(value, at) & this.#mask;
    while (this.#used[slot] === 1) {
      const start = slot * width;
      let i = 0;
      while (i < width && this.#keys[start + i] === value[at + i]) i++;
      if (i === width) return slot;
      slot = (slot + 1) & this.#mask;
    }
    return slot;
  }

  #hash(value: Bytes, at: number): number {
    let hash = this.#seed;
    for (let i = at; i < at + this.#width; i += 4) {
      const word = value[i]! | (value[i + 1]! << 8) | (value[i + 2]! << 16) | (value[i + 3]! << 24);
      hash = Math.imul(hash ^ word, 0x9e3779b1);
      hash ^= hash >>> 15;
    }
    return hash;
  }

  #allocate(slots: number): void {
    this.#mask = slots - 1;
    this.#keys = new Uint8Array(slots * this.#width);
    this.#ids = new Uint32Array(slots);
    this.#used = new Uint8Array(slots);
    this.#count = 0;
  }

  #grow(): void {
    const [keys, ids, used, pending, count] = [this.#keys, this.#ids, this.#used, this.#pending, this.#count];
    this.#allocate((this.#mask + 1) * 2);
    this.#count = count;
    const moved = new Map<number, number>();
    const isPending = new Set(pending);
    for (let old = 0; old < used.length; old++) {
      if (used[old] === 0) continue;
      const key = keys.subarray(old * this.#width, (old + 1) * this.#width);
      const slot = this.#find(key, 0);
      this.#used[slot] = 1;
      this.#keys.set(key, slot * this.#width);
      this.#ids[slot] = ids[old]!;
      if (isPending.has(old)) moved.set(old, slot);
    }
    this.#pending = pending.map((old) => moved.get(old)!);
  }
}

export interface Dictionaries {
  readonly addresses: Dictionary;
  /** The first topics of logs: the hashes of event signatures. */
  readonly signatures: Dictionary;
}

export function lookupSql(table: string): string {
  return `SELECT v.id, v.value FROM ${table}_hash h JOIN ${table} v ON v.id = h.id WHERE h.prefix IN ($keys)`;
}

/** The first 52 bits: an integer key for hashes and addresses. Whoever looks up compares the whole value. */
export function prefixOf(value: Bytes): number {
  let prefix = 0;
  for (let i = 0; i < 6; i++) prefix = prefix * 256 + value[i]!;
  return prefix * 16 + (value[6]! >> 4);
}
