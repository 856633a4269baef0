import { uintToBigInt } from "../../chain/encoding/uint.ts";
import { ChainError } from "../../chain/error.ts";
import { MAX_SEARCHED } from "../blockWindow.ts";
import type { QueryContext } from "../context.ts";
import { readInParts } from "../readInParts.ts";
import type { SummedBlock } from "./block.ts";
import { rewardOf } from "./block.ts";
import type { DaySpan } from "./dailyTotals.ts";
import { readDays } from "./dailyTotals.ts";
import { scanBlocks } from "./scanBlocks.ts";

/** Sums over the headers of a UTC day. */
export interface DaySums {
  /** Unix seconds. */
  readonly start: number;
  blocks: number;
  uncles: number;
  size: number;
  gasUsed: bigint;
  gasLimit: bigint;
  /** Including blob fees. */
  fees: bigint;
  /** Block subsidies; genesis has none. */
  subsidies: bigint;
  /** Subsidies plus fees that were not burnt. */
  rewards: bigint;
}

/** Reads all blocks of the days. Oldest first. */
export function readDailySums(
  { store, blockReward }: QueryContext,
  span: DaySpan,
  maxSearched = MAX_SEARCHED,
): Promise<DaySums[]> {
  return readInParts(store, Number.MAX_SAFE_INTEGER, async (parts) => {
    const days = await readDays(parts, span);
    const searched = days.reduce((sum, { firstBlock, lastBlock }) => sum + lastBlock - firstBlock + 1, 0);
    if (searched > maxSearched) {
      throw new ChainError("limit_exceeded", `the days have ${searched} blocks; over ${maxSearched} are not searched`);
    }
    const found: DaySums[] = [];
    for (const { start, firstBlock: first, lastBlock: last } of days) {
      const sums = { ...NO_SUMS, start };
      await scanBlocks(parts, { first, last, order: "asc" }, (block) => addBlock(sums, block, blockReward));
      found.push(sums);
    }
    return found;
  });
}

const NO_SUMS = {
  blocks: 0,
  uncles: 0,
  size: 0,
  gasUsed: 0n,
  gasLimit: 0n,
  fees: 0n,
  subsidies: 0n,
  rewards: 0n,
};

function addBlock(day: DaySums, block: SummedBlock, subsidy: bigint): false {
  const { header, sums } = block;
  day.blocks++;
  day.uncles += header.uncles.length;
  day.size += header.size;
  day.gasUsed += BigInt(header.gasUsed);
  day.gasLimit += uintToBigInt(header.gasLimit);
  day.fees += sums.fees;
  day.subsidies += header.number === 0 ? 0n : subsidy;
  day.rewards += rewardOf(block, subsidy) ?? 0n;
  return false;
}
