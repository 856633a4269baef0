/** When a token is asked again. All distances are in blocks, so that an index at rest asks nothing. */

/** After an observation, if the token has had transfers since. */
export const REFRESH = 1_000;
/** The same for a token that answers nothing, or about which the node never could say all. */
export const RARELY = 100_000;
/** After a failure, whether there were transfers or not. What fails once more than this is left alone. */
export const RETRIES: readonly number[] = [4, 16, 64, 256];

export interface Next {
  readonly again: number;
  /** It is asked then without a transfer, too. */
  readonly isRetried: boolean;
}

/** `failures` is how often in a row the node could not say all, this time included. */
export function nextObservation(block: number, failures: number, hasAnswered: boolean): Next {
  const retry = failures === 0 ? undefined : RETRIES[failures - 1];
  if (retry !== undefined) return { again: block + retry, isRetried: true };
  return { again: block + (failures === 0 && hasAnswered ? REFRESH : RARELY), isRetried: false };
}
