/** When to observe a token again. Intervals are in blocks, so that an idle chain costs nothing. */

/** If the token had transfers since. */
export const REFRESH = 1_000;
/** The same for a token that never answered completely. */
export const RARELY = 100_000;
/** After a failure, regardless of transfers. Failing beyond these gives up. */
export const RETRIES: readonly number[] = [4, 16, 64, 256];

interface Next {
  readonly again: number;
  /** Due even without a transfer. */
  readonly isRetried: boolean;
}

/** `failures` counts consecutive incomplete answers, including this one. */
export function nextObservation(block: number, failures: number, hasAnswered: boolean): Next {
  const retry = failures === 0 ? undefined : RETRIES[failures - 1];
  if (retry !== undefined) return { again: block + retry, isRetried: true };
  return { again: block + (failures === 0 && hasAnswered ? REFRESH : RARELY), isRetried: false };
}
