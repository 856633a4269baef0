/** Ids [from, to) whose sums fit in memory. */
export interface IdRange {
  readonly from: number;
  readonly to: number;
  /** Rows outside all ranges are checked with the nearest one. */
  readonly isFirst: boolean;
  readonly isLast: boolean;
}

export const ID_BATCH_SIZE = 2 ** 21;

/** Covers the ids 0 to `highest`. */
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

/** Inclusive bounds of the rows checked with a range. */
export function rowBounds({ from, to, isFirst, isLast }: IdRange): [min: number, max: number] {
  return [isFirst ? Number.MIN_SAFE_INTEGER : from, isLast ? Number.MAX_SAFE_INTEGER : to - 1];
}
