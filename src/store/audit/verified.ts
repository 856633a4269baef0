/** How far the verification of an index is, and what it found; kept in the store so that whoever serves it can say so. */
export interface Verified {
  /** How often all blocks were gone over. */
  readonly rounds: number;
  /** The next block to look at. */
  readonly next: number;
  /** The blocks that did not agree when they were looked at last, ascending, at most `MAX_DAMAGED`. */
  readonly damaged: readonly number[];
  /** How much did not agree in the last round that recomputed everything, rows that change included. */
  readonly differences: number;
  /** What was found last. */
  readonly problem: string | null;
}

export const NOTHING_VERIFIED: Verified = { rounds: 0, next: 0, damaged: [], differences: 0, problem: null };

export const MAX_DAMAGED = 100;

/** A note that cannot be read is begun anew. */
export function readVerified(text: string | undefined): Verified {
  try {
    return { ...NOTHING_VERIFIED, ...(JSON.parse(text ?? "{}") as Partial<Verified>) };
  } catch {
    return NOTHING_VERIFIED;
  }
}
