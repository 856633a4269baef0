/** Some of the ids of a dictionary, [from, to). What an audit adds up for each of them has room in memory. */
export interface IdRange {
  readonly from: number;
  readonly to: number;
  /** Rows below the first range and above the last one belong to nobody: they are looked at with the nearest. */
  readonly isFirst: boolean;
  readonly isLast: boolean;
}

/** Ids whose sums are in memory at once, at no more than 150 bytes for each. */
export const ID_BATCH_SIZE = 2 ** 21;

/** The ranges that the ids 0 to `highest` fall into. */
export function idRanges(highest: number, size = ID_BATCH_SIZE): IdRange[] {
  const count = Math.floor(highest / size) + 1;
  return Array.from({ length: count }, (_, at) => ({
    from: at * size,
    to: Math.min((at + 1) * size, highest + 1),
    isFirst: at === 0,
    isLast: at === count - 1,
  }));
}

export const has = ({ from, to }: IdRange, id: number): boolean => id >= from && id < to;

/** The bounds of the rows that are looked at with a range, both included. */
export function rowBounds({ from, to, isFirst, isLast }: IdRange): [least: number, most: number] {
  return [isFirst ? Number.MIN_SAFE_INTEGER : from, isLast ? Number.MAX_SAFE_INTEGER : to - 1];
}
