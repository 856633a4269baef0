import type { Header } from "../../chain/block/header.ts";
import { uintToBigInt } from "../../chain/encoding/uint.ts";
import type { ExactSum } from "../../std/numbers.ts";
import { subtractExactly } from "../../std/numbers.ts";
import type { Tip } from "../../store/read/blocks.ts";
import type { Totals } from "../../store/rows/blockBody.ts";
import { NO_TOTALS } from "../../store/rows/blockBody.ts";
import type { ReadSession } from "../../store/session.ts";
import type { IndexedRange } from "../indexedRange.ts";
import type { GasPrices } from "./gasPrices.ts";
import { gasPrices } from "./gasPrices.ts";

export const RECENT_BLOCKS = 100;
/** Blocks, and newest transactions in them, for gas prices. */
export const PRICED_BLOCKS = 20;
export const PRICED_TRANSACTIONS = 500;
export const DAY = 86_400;

/** The 24 hours up to the latest block time. */
export interface DayFigures {
  readonly firstBlock: number;
  readonly transactions: number;
  readonly gasUsed: ExactSum;
}

export interface ChainFigures {
  readonly first: number;
  readonly tip: Tip;
  readonly day: DayFigures;
  readonly blockTime: number;
  readonly gasPrices: GasPrices;
  readonly used: { readonly gas: bigint; readonly limit: bigint };
}

/** Two searches over block rows plus the newest blocks: independent of the chain's length. */
export async function readFigures(session: ReadSession, range: IndexedRange): Promise<ChainFigures> {
  const { first, tip } = range;
  const from = Math.max(first, tip.number - RECENT_BLOCKS);
  const [blocks, day, newest] = await Promise.all([
    session.blocks.range(from, RECENT_BLOCKS + 1),
    readDay(session, range),
    newestTransactions(session, first, tip),
  ]);
  const recent = blocks.map(({ header }) => header);
  return {
    first,
    tip,
    day,
    blockTime: averageTime(recent),
    gasPrices: gasPrices(recent, newest),
    used: sumGas(recent.slice(-RECENT_BLOCKS)),
  };
}

export async function readDay(session: ReadSession, { first, tip }: IndexedRange): Promise<DayFigures> {
  const firstBlock = await session.blocks.firstAfter(tip.latest - DAY, first, tip.number);
  const before = await totalsBefore(session, firstBlock);
  return {
    firstBlock,
    transactions: tip.totals.transactions - before.transactions,
    gasUsed: subtractExactly(tip.totals.gasUsed, before.gasUsed),
  };
}

/** 0 before the first indexed block. */
export async function totalsBefore(session: ReadSession, number: number): Promise<Totals> {
  return (await session.blocks.totals([number - 1])).get(number - 1) ?? NO_TOTALS;
}

async function newestTransactions(session: ReadSession, first: number, tip: Tip) {
  const before = await totalsBefore(session, Math.max(first, tip.number - PRICED_BLOCKS + 1));
  const to = tip.totals.transactions;
  const from = Math.max(before.transactions, to - PRICED_TRANSACTIONS);
  return session.transactions.at(await session.transactions.all(first, tip).slice(from, to));
}

/** Excludes genesis, whose time is arbitrary. */
function averageTime(headers: readonly Header[]): number {
  const made = headers.filter(({ number }) => number > 0);
  const [oldest, newest] = [made[0], made.at(-1)];
  if (oldest === undefined || newest === undefined || oldest === newest) return 0;
  return (Math.max(newest.timestamp - oldest.timestamp, 0) * 1000) / (made.length - 1);
}

function sumGas(headers: readonly Header[]): ChainFigures["used"] {
  return {
    gas: headers.reduce((sum, { gasUsed }) => sum + BigInt(gasUsed), 0n),
    limit: headers.reduce((sum, { gasLimit }) => sum + uintToBigInt(gasLimit), 0n),
  };
}
