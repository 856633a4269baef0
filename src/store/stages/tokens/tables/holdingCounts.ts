import type { AddressId } from "../../../rows/ids.ts";

/** Ids are dense, so addresses share a slot only where there are more than so many. */
const SLOTS = 2 ** 22;
const MAX = 255;

/**
 * Upper bound of the holdings of each address, one byte for each slot, for the single writer. Deleted holdings and such
 * as were counted twice count on, which only costs a lookup.
 */
export class HoldingCounts {
  readonly #counts = new Uint8Array(SLOTS);

  add(address: AddressId): void {
    const slot = address % SLOTS;
    if (this.#counts[slot]! < MAX) this.#counts[slot]!++;
  }

  mayExceed(address: AddressId, limit: number): boolean {
    return this.#counts[address % SLOTS]! > limit;
  }
}
