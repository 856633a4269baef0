/** Progress and findings of verification, stored for the serving processes. */
export interface Verified {
  readonly rounds: number;
  readonly next: number;
  /** Ascending, at most `MAX_DAMAGED`. */
  readonly damaged: readonly number[];
  /** Differences in the last full round, mutable rows included. */
  readonly differences: number;
  readonly problem: string | null;
}

export const NOTHING_VERIFIED: Verified = { rounds: 0, next: 0, damaged: [], differences: 0, problem: null };

export const MAX_DAMAGED = 100;

/** Starts over if the stored state cannot be read. */
export function readVerified(text: string | undefined): Verified {
  try {
    return { ...NOTHING_VERIFIED, ...(JSON.parse(text ?? "{}") as Partial<Verified>) };
  } catch {
    return NOTHING_VERIFIED;
  }
}
