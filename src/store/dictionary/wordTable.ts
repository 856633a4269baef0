import type { KeyedHash } from "./keyedHash.ts";

const FREE = -1;
const FIRST_SLOTS = 1 << 10;

/** Hash set of fixed-width values, numbered in insertion order. */
export class WordTable {
  readonly width: number;
  readonly lookupKey: Int32Array;
  readonly #hash: KeyedHash;
  /** Open addressing; slots hold entry numbers. Entries do not move when the slots grow. */
  #slots!: Int32Array;
  /** In machine byte order, little-endian on every supported platform. */
  #words!: Int32Array;
  #count = 0;

  constructor(hash: KeyedHash, width: number) {
    this.#hash = hash;
    this.width = width;
    this.lookupKey = new Int32Array(width);
    this.clear();
  }

  get count(): number {
    return this.#count;
  }

  get room(): number {
    return this.#slots.length / 2;
  }

  clear(): void {
    this.#allocate(FIRST_SLOTS);
    this.#count = 0;
    this.#fillSlots();
  }

  /** -1 if absent. */
  find(): number {
    return this.#slots[this.#slot()]!;
  }

  note(): number {
    const slot = this.#slot();
    const known = this.#slots[slot]!;
    if (known !== FREE) return known;
    const entry = this.#count++;
    this.#slots[slot] = entry;
    this.#words.set(this.lookupKey, entry * this.width);
    if (this.#count * 2 >= this.#slots.length) this.#grow();
    return entry;
  }

  /** Keeps some entries, ascending, and renumbers them. Does not shrink. */
  retain(entries: Uint32Array): void {
    const { width } = this;
    for (const [entry, old] of entries.entries()) {
      this.#words.copyWithin(entry * width, old * width, (old + 1) * width);
    }
    this.#count = entries.length;
    this.#fillSlots();
  }

  word(entry: number, at: number): number {
    return this.#words[entry * this.width + at]!;
  }

  /** Valid until the table grows. */
  bytes(entry: number): Uint8Array {
    return new Uint8Array(this.#words.buffer, entry * this.width * 4, this.width * 4);
  }

  key(entry: number, hash = this.#hash): number {
    return hash.keyOfWords(this.#words, entry * this.width, this.width);
  }

  #slot(): number {
    const [width, lookupKey, words, slots] = [this.width, this.lookupKey, this.#words, this.#slots];
    const mask = slots.length - 1;
    let slot = this.#hash.keyOfWords(lookupKey, 0, width) & mask;
    for (;;) {
      const entry = slots[slot]!;
      if (entry === FREE) return slot;
      const start = entry * width;
      let word = 0;
      while (word < width && words[start + word] === lookupKey[word]) word++;
      if (word === width) return slot;
      slot = (slot + 1) & mask;
    }
  }

  #allocate(slots: number): void {
    this.#slots = new Int32Array(slots);
    this.#words = new Int32Array((slots / 2) * this.width);
  }

  #grow(): void {
    const words = this.#words;
    this.#allocate(this.#slots.length * 2);
    this.#words.set(words);
    this.#fillSlots();
  }

  #fillSlots(): void {
    this.#slots.fill(FREE);
    const mask = this.#slots.length - 1;
    for (let entry = 0; entry < this.#count; entry++) {
      let slot = this.key(entry) & mask;
      while (this.#slots[slot] !== FREE) slot = (slot + 1) & mask;
      this.#slots[slot] = entry;
    }
  }
}
