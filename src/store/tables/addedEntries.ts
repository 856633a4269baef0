import { OwnerChains } from "./ownerChains.ts";

export const NONE = -1;

/** Pending entries of many lists, chained per owner from oldest to newest. */
export class AddedEntries {
  readonly #chains = new OwnerChains();
  /** Newest entry and number of entries of each chain. */
  #newest = new Int32Array(256);
  #counts = new Uint32Array(256);
  #positions = new Float64Array(256);
  #tags = new Uint32Array(256);
  /** Circular: the newest entry points to the oldest. */
  #next = new Int32Array(256);
  #count = 0;

  add(owner: number, position: number, tag: number): void {
    this.#append(this.#chainOf(owner), position, tag);
  }

  /** Skips a duplicate of the newest entry. */
  addOnce(owner: number, position: number): void {
    const chain = this.#chainOf(owner);
    if (this.#counts[chain] === 0 || this.#positions[this.#newest[chain]!] !== position)
      this.#append(chain, position, 0);
  }

  #chainOf(owner: number): number {
    const chain = this.#chains.note(owner);
    if (chain === this.#newest.length) this.#growChains();
    return chain;
  }

  #append(chain: number, position: number, tag: number): void {
    if (this.#count === this.#positions.length) this.#grow();
    const entry = this.#count++;
    const newest = this.#counts[chain]!++ === 0 ? NONE : this.#newest[chain]!;
    this.#positions[entry] = position;
    this.#tags[entry] = tag;
    this.#next[entry] = newest === NONE ? entry : this.#next[newest]!;
    if (newest !== NONE) this.#next[newest] = entry;
    this.#newest[chain] = entry;
  }

  /** Position of the newest entry. */
  newest(owner: number): number | undefined {
    const chain = this.#chains.find(owner);
    return chain === NONE ? undefined : this.#positions[this.#newest[chain]!];
  }

  /** Ascending. */
  owners(): number[] {
    return this.#chains.owners();
  }

  /** -1 if there is none; follow with `after`. */
  oldest(owner: number): number {
    const chain = this.#chains.find(owner);
    return chain === NONE ? NONE : this.#next[this.#newest[chain]!]!;
  }

  /** -1 for the newest. */
  after(entry: number): number {
    const next = this.#next[entry]!;
    return next > entry ? next : NONE;
  }

  position(entry: number): number {
    return this.#positions[entry]!;
  }

  tag(entry: number): number {
    return this.#tags[entry]!;
  }

  count(owner: number): number {
    const chain = this.#chains.find(owner);
    return chain === NONE ? 0 : this.#counts[chain]!;
  }

  #grow(): void {
    const size = this.#positions.length * 2;
    const [positions, tags, next] = [this.#positions, this.#tags, this.#next];
    this.#positions = new Float64Array(size);
    this.#tags = new Uint32Array(size);
    this.#next = new Int32Array(size);
    this.#positions.set(positions);
    this.#tags.set(tags);
    this.#next.set(next);
  }

  #growChains(): void {
    const [newest, counts] = [this.#newest, this.#counts];
    this.#newest = new Int32Array(newest.length * 2);
    this.#counts = new Uint32Array(counts.length * 2);
    this.#newest.set(newest);
    this.#counts.set(counts);
  }
}
