import type { ExactSum } from "../../std/numbers.ts";
import type { ReadSession } from "../../store/session.ts";
import type { IndexedRange } from "../indexedRange.ts";
import { hasTokens } from "../stageRanges.ts";
import type { Range } from "../timeline.ts";
import { readTimeline } from "../timeline.ts";
import { totalsBetween } from "../totalsBetween.ts";
import type { ActiveAddresses } from "./activeAddresses.ts";
import { readActiveAddresses } from "./activeAddresses.ts";
import type { FeeHistory } from "./feeHistory.ts";

export interface ChainPeriod {
  readonly start: number;
  readonly transactions: number;
  /** Addresses seen for the first time, in a transaction or as the source of a log. */
  readonly addresses: number;
  /** Created by transactions. */
  readonly contracts: number;
  readonly gasUsed: ExactSum;
  /** Undefined without the tokens stage. */
  readonly transfers: number | undefined;
  /** Undefined while not summed. */
  readonly fees: bigint | undefined;
}

export interface ChainHistory {
  readonly step: number;
  readonly periods: readonly ChainPeriod[];
  /** Undefined of 24 hours. */
  readonly active: ActiveAddresses | undefined;
}

/** Differences of totals at the borders of periods: exact, whatever their length. */
export async function readChainHistory(
  session: ReadSession,
  indexed: IndexedRange,
  range: Range,
  fees: FeeHistory,
): Promise<ChainHistory> {
  const { step, starts, blocks } = await readTimeline(session, indexed, range);
  const periods = starts.map((_, at) => ({ from: blocks[at]!, to: blocks[at + 1]! - 1 }));
  const borders = blocks.map((number) => number - 1);
  const [totals, transfers, sums, active] = await Promise.all([
    session.blocks.totals(borders),
    readTransfers(session, indexed, borders),
    fees.sum(session, periods),
    range === "24h" ? undefined : readActiveAddresses(session, { step, starts }),
  ]);
  return {
    step,
    active,
    periods: starts.map((start, at) => ({
      start,
      ...totalsBetween(totals, borders[at]!, borders[at + 1]!),
      transfers: transfers && (transfers.get(borders[at + 1]!) ?? 0) - (transfers.get(borders[at]!) ?? 0),
      fees: sums[at],
    })),
  };
}

async function readTransfers(session: ReadSession, indexed: IndexedRange, borders: readonly number[]) {
  return (await hasTokens(session, indexed)) ? session.tokens.transfers.countsUpTo(borders) : undefined;
}
