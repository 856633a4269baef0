const FREE = -1;
const FIRST_SIZE = 256;
/** 2^32 over the golden ratio: multiples of it are spread over all 32 bits. */
const SPREAD = 0x9e3779b1;

/** Numbers 32-bit integers in order of first appearance. Ids are assigned in order, so few can be chosen to collide. */
export class OwnerChains {
  /** Open addressing; slots hold numbers. */
  #slots = new Int32Array(2 * FIRST_SIZE).fill(FREE);
  #owners = new Uint32Array(FIRST_SIZE);
  #count = 0;

  get count(): number {
    return this.#count;
  }

  /** Ascending. */
  owners(): number[] {
    return Array.from(this.#owners.slice(0, this.#count).sort());
  }

  /** -1 if absent. */
  find(owner: number): number {
    return this.#slots[this.#slot(owner)]!;
  }

  note(owner: number): number {
    const slot = this.#slot(owner);
    const known = this.#slots[slot]!;
    if (known !== FREE) return known;
    if (this.#count === this.#owners.length) {
      this.#grow();
      return this.note(owner);
    }
    this.#owners[this.#count] = owner;
    this.#slots[slot] = this.#count;
    return this.#count++;
  }

  #slot(owner: number): number {
    const [slots, owners] = [this.#slots, this.#owners];
    const mask = slots.length - 1;
    let slot = Math.imul(owner, SPREAD) >>> Math.clz32(mask);
    for (;;) {
      const known = slots[slot]!;
      if (known === FREE || owners[known] === owner) return slot;
      slot = (slot + 1) & mask;
    }
  }

  #grow(): void {
    const owners = this.#owners;
    this.#owners = new Uint32Array(owners.length * 2);
    this.#owners.set(owners);
    this.#slots = new Int32Array(owners.length * 4).fill(FREE);
    for (let at = 0; at < this.#count; at++) this.#slots[this.#slot(owners[at]!)] = at;
  }
}
