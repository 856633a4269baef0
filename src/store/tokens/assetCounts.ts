import type { Bytes } from "../../chain/encoding/bytes.ts";
import { ByteReader, ByteWriter } from "../encoding.ts";
import type { Codec } from "../mutableRows.ts";

/** The lists of what addresses have: tokens as a whole, and items. Assets are in a list by their ids, and so by when they were first seen. */
export const ASSET_LISTS = { tokens: 0, items: 1 } as const;

export type AssetList = (typeof ASSET_LISTS)[keyof typeof ASSET_LISTS];

/** Ids whose assets are counted together: a rank is found by adding up ranges, and within one by a walk over at most half of it. */
export const RANGE = 1 << 16;

/** Up to so many assets of an address are counted when they are asked for; with more there is a row for their number. */
export const FEW_ASSETS = 8;

export const rangeOf = (asset: number): number => Math.floor(asset / RANGE);

/** How many assets of each list an address has, by ranges of ids. Ranges without any are absent. */
export type AssetCounts = readonly [tokens: Ranges, items: Ranges];
type Ranges = ReadonlyMap<number, number>;

/** An asset comes to an address, or leaves it. */
export interface AssetMove {
  readonly address: number;
  readonly list: AssetList;
  readonly asset: number;
  readonly by: 1 | -1;
}

const NONE: AssetCounts = [new Map(), new Map()];

export function totalOf(counts: AssetCounts = NONE): number {
  return counts.reduce((total, ranges) => [...ranges.values()].reduce((sum, count) => sum + count, total), 0);
}

/** The counts after some moves of one address; undefined where nothing is left. */
export function countMoves(counts: AssetCounts = NONE, moves: Iterable<AssetMove>): AssetCounts | undefined {
  const after = [new Map(counts[0]), new Map(counts[1])] as const;
  for (const { list, asset, by } of moves) {
    const [ranges, range] = [after[list], rangeOf(asset)];
    const count = (ranges.get(range) ?? 0) + by;
    if (count === 0) ranges.delete(range);
    else ranges.set(range, count);
  }
  return after[0].size + after[1].size === 0 ? undefined : after;
}

/** Where a rank, counted from 0, is in a list: so many assets after the first of a range. */
export interface RankedRange {
  readonly range: number;
  readonly skipped: number;
  /** Assets of the range. */
  readonly count: number;
}

/** Where the asset of a rank is; a number where the list is shorter: how many assets of other lists come before it. */
export function findRank(ranges: Ranges, rank: number): RankedRange | number {
  let left = rank;
  for (const range of [...ranges.keys()].sort((a, b) => a - b)) {
    const count = ranges.get(range)!;
    if (left < count) return { range, skipped: left, count };
    left -= count;
  }
  return left;
}

export const assetCounts: Codec<AssetCounts> = {
  read(bytes: Bytes) {
    const reader = new ByteReader(bytes);
    const ranges = () => {
      const read = new Map<number, number>();
      let last = 0;
      for (let left = reader.varint(); left > 0; left--) {
        last += reader.varint();
        read.set(last, reader.varint());
      }
      return read;
    };
    return [ranges(), ranges()];
  },
  write(counts) {
    const writer = new ByteWriter(16);
    for (const ranges of counts) {
      writer.varint(ranges.size);
      let last = 0;
      for (const [range, count] of [...ranges].sort(([a], [b]) => a - b)) {
        writer.varint(range - last);
        writer.varint(count);
        last = range;
      }
    }
    return writer.copy();
  },
};
