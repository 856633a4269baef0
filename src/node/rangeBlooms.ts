import type { Bytes, Hash } from "../chain/encoding/bytes.ts";
import { equalBytes } from "../chain/encoding/bytes.ts";
import { dropOldest } from "../std/maps.ts";
import type { ChainDatabase } from "./database.ts";

export const RANGE = 64;

/** Four million blocks, about 20 MB. */
const MAX_RANGES = 1 << 16;

const NO_LOGS = new Uint8Array(256);

interface Known {
  readonly last: Hash;
  readonly bloom: Bytes;
}

/** Bloom unions over ranges of blocks, to skip a range in one test. */
export class RangeBlooms {
  readonly #database: ChainDatabase;
  readonly #known = new Map<number, Known>();

  constructor(database: ChainDatabase) {
    this.#database = database;
  }

  /** Undefined while the range is incomplete. */
  of(start: number): Bytes | undefined {
    if (this.#database.areEmpty(start, start + RANGE - 1)) return NO_LOGS;
    const last = this.#database.hashOf(start + RANGE - 1);
    if (last === undefined) return undefined;
    const known = this.#known.get(start);
    // The hash of the last block identifies all before it.
    if (known !== undefined && equalBytes(known.last, last)) return known.bloom;
    const bloom = union(this.#database.blooms(start, start + RANGE - 1).map((block) => block.bloom));
    this.#known.set(start, { last, bloom });
    dropOldest(this.#known, MAX_RANGES);
    return bloom;
  }
}

function union(blooms: readonly Bytes[]): Bytes {
  const bloom = new Uint8Array(256);
  for (const one of blooms) for (let index = 0; index < 256; index++) bloom[index]! |= one[index]!;
  return bloom;
}
