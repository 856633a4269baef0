export const NONE = -1;

/** Pending entries of many lists, chained per owner from oldest to newest. */
export class AddedEntries {
  readonly #chains = new Map<number, number>();
  #positions = new Float64Array(256);
  #tags = new Uint32Array(256);
  /** Circular: the newest entry points to the oldest. */
  #next = new Int32Array(256);
  #count = 0;

  add(owner: number, position: number, tag: number): void {
    if (this.#count === this.#positions.length) this.#grow();
    const entry = this.#count++;
    const newest = this.#chains.get(owner) ?? NONE;
    this.#positions[entry] = position;
    this.#tags[entry] = tag;
    this.#next[entry] = newest === NONE ? entry : this.#next[newest]!;
    if (newest !== NONE) this.#next[newest] = entry;
    this.#chains.set(owner, entry);
  }

  /** Position of the newest entry. */
  newest(owner: number): number | undefined {
    const entry = this.#chains.get(owner);
    return entry === undefined ? undefined : this.#positions[entry];
  }

  owners(): number[] {
    return [...this.#chains.keys()].sort((a, b) => a - b);
  }

  /** -1 if there is none; follow with `after`. */
  oldest(owner: number): number {
    const newest = this.#chains.get(owner);
    return newest === undefined ? NONE : this.#next[newest]!;
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
    let count = 0;
    for (let entry = this.oldest(owner); entry !== NONE; entry = this.after(entry)) count++;
    return count;
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
}
