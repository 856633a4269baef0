import type { Entry } from "./list.ts";

const NONE = -1;

/** The entries of many lists that wait to be written, each owner's in a chain from the oldest to the newest. */
export class AddedEntries {
  readonly #chains = new Map<number, number>();
  #positions = new Float64Array(256);
  #tags = new Uint32Array(256);
  /** Of an owner's newest entry the oldest one, of every other entry the one after it. */
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

  /** The position of an owner's newest entry. */
  newest(owner: number): number | undefined {
    const entry = this.#chains.get(owner);
    return entry === undefined ? undefined : this.#positions[entry];
  }

  /** In ascending order. */
  owners(): number[] {
    return [...this.#chains.keys()].sort((a, b) => a - b);
  }

  /** An owner's entries, oldest first. */
  *of(owner: number): Iterable<Entry> {
    const newest = this.#chains.get(owner);
    if (newest === undefined) return;
    for (let entry = this.#next[newest]!; ; entry = this.#next[entry]!) {
      yield { position: this.#positions[entry]!, tag: this.#tags[entry]! };
      if (entry === newest) return;
    }
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
