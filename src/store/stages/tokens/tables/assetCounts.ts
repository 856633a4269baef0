import type { Bytes } from "../../../../chain/encoding/bytes.ts";
import type { Codec } from "../../../rows/codec.ts";
import { ByteReader, ByteWriter } from "../../../rows/encoding.ts";
import type { AddressId } from "../../../rows/ids.ts";

/**
 * Assets of an address: whole tokens, ERC-1155 items (with balances), and other items. Each list is in id order, i.e.
 * by first appearance.
 */
export const ASSET_LISTS = { tokens: 0, items: 1, uniques: 2 } as const;

export type AssetList = (typeof ASSET_LISTS)[keyof typeof ASSET_LISTS];

/** Ids per count: a rank is found by summing ranges, then walking at most half of one. */
export const RANGE = 1 << 16;

/** Addresses with more holdings have listed and counted assets; for others the holdings are read. */
export const MAX_UNLISTED = 8;

const rangeOf = (asset: number): number => Math.floor(asset / RANGE);

export interface AssetCounts {
  /** Rows, including zero balances. */
  readonly holdings: number;
  /** Asset counts per list and id range; empty ranges are omitted. */
  readonly lists: readonly [tokens: Ranges, items: Ranges, uniques: Ranges];
}

type Ranges = ReadonlyMap<number, number>;

export interface AssetMove {
  readonly address: AddressId;
  readonly list: AssetList;
  readonly asset: number;
  /** 1 if the asset is acquired, -1 if it is lost. */
  readonly by: 1 | 0 | -1;
  /** 1 if the row is created, -1 if it is deleted. */
  readonly rows: 1 | 0 | -1;
}

export const NO_ASSETS: AssetCounts = { holdings: 0, lists: [new Map(), new Map(), new Map()] };

export function totalOf(ranges: Ranges): number {
  return [...ranges.values()].reduce((sum, count) => sum + count, 0);
}

/** Counts after some moves of one address. */
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

/** Range and offset of a 0-based rank. */
interface RankedRange {
  readonly range: number;
  readonly skipped: number;
  /** Assets in the range. */
  readonly count: number;
}

/** A number if the list is shorter: its length. */
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
