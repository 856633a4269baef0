import type { ReadSession } from "../../store/session.ts";
import type { Timeline } from "../timeline.ts";
import { DAY } from "./chainFigures.ts";

/** Addresses that took part in transactions of a day: sent or received one, or were created by one. */
export interface ActivePeriod {
  readonly start: number;
  /** The mean of the days that have blocks, where a period is longer than a day. */
  readonly addresses: number;
}

export interface ActiveAddresses {
  readonly step: number;
  readonly periods: readonly ActivePeriod[];
}

/** Of whole days, which shorter periods of a timeline belong to. */
export async function readActiveAddresses(
  session: ReadSession,
  { step: wanted, starts }: Pick<Timeline, "step" | "starts">,
): Promise<ActiveAddresses> {
  const step = Math.max(wanted, DAY);
  const [first, last] = [starts[0]!, starts.at(-1)!].map((start) => Math.floor(start / step));
  const counts = await session.addresses.activeByDay((first! * step) / DAY, ((last! + 1) * step) / DAY);
  const sums = Array.from({ length: last! - first! + 1 }, () => ({ days: 0, addresses: 0 }));
  for (const [day, addresses] of counts) {
    const sum = sums[Math.floor((day * DAY) / step) - first!]!;
    sum.days++;
    sum.addresses += addresses;
  }
  const periods = sums.map(({ days, addresses }, at) => ({
    start: (first! + at) * step,
    addresses: Math.round(addresses / Math.max(days, 1)),
  }));
  return { step, periods };
}
