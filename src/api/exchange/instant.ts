/** The value clients expect for every token. */
export const ZERO_TIME = "0001-01-01T00:00:00Z";

/** The last second of a four-digit year. */
const LATEST = Date.UTC(9999, 11, 31, 23, 59, 59) / 1000;

/** A chain may claim any time. */
export function instantOf(seconds: number | undefined): string {
  if (seconds === undefined) return ZERO_TIME;
  return `${new Date(Math.min(seconds, LATEST) * 1000).toISOString().slice(0, 19)}Z`;
}
