import type { Bytes } from "../../../../chain/encoding/bytes.ts";
import type { Codec } from "../../../rows/codec.ts";
import { ByteReader, ByteWriter } from "../../../rows/encoding.ts";
import type { AddressId } from "../../../rows/ids.ts";

/**
 * The lists of what addresses have: tokens as a whole, the items of ERC-1155 tokens, which are balances of their own, and
 * the items of all other tokens. Assets are in a list by their ids, and so by when they were first seen.
 */
export const ASSET_LISTS = { tokens: 0, items: 1, uniques: 2 } as const;

export type AssetList = (typeof ASSET_LISTS)[keyof typeof ASSET_LISTS];

/** Ids whose assets are counted together: a rank is found by adding up ranges, and within one by a walk over at most half of it. */
export const RANGE = 1 << 16;

/** The assets of an address with more holdings than this are listed and counted; those of the others are read from the holdings. */
export const MAX_UNLISTED = 8;

export const rangeOf = (asset: number): number => Math.floor(asset / RANGE);

export interface AssetCounts {
  /** Rows of balances, also of those that are nothing by now. */
  readonly holdings: number;
  /** How many assets of each list an address has, by ranges of ids. Ranges without any are absent. */
  readonly lists: readonly [tokens: Ranges, items: Ranges, uniques: Ranges];
}

type Ranges = ReadonlyMap<number, number>;

export interface AssetMove {
  readonly address: AddressId;
  readonly list: AssetList;
  readonly asset: number;
  /** 1 where the asset comes to the address, -1 where it leaves. */
  readonly by: 1 | 0 | -1;
  /** 1 where the holding has a row from now on, -1 where it loses it. */
  readonly rows: 1 | 0 | -1;
}

export const NO_ASSETS: AssetCounts = { holdings: 0, lists: [new Map(), new Map(), new Map()] };

export function totalOf(ranges: Ranges): number {
  return [...ranges.values()].reduce((sum, count) => sum + count, 0);
}

/** The counts after some moves of one address. */
export function countMoves(
  { holdings, lists: [tokens, items, uniques] }: AssetCounts,
  moves: Iterable<AssetMove>,
): AssetCounts {
  const lists = [new Map(tokens), new Map(items), new Map(uniques)] as const;
  let rowCount = holdings;
  for (const { list, asset, by, rows } of moves) {
    const [ranges, range] = [lists[list], rangeOf(asset)];
    const count = (ranges.get(range) ?? 0) + by;
    if (count === 0) ranges.delete(range);
    else ranges.set(range, count);
    rowCount += rows;
  }
  return { holdings: rowCount, lists };
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
    return { holdings: reader.varint(), lists: [ranges(), ranges(), ranges()] };
  },
  write({ holdings, lists }) {
    const writer = new ByteWriter(16);
    writer.varint(holdings);
    for (const ranges of lists) {
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
