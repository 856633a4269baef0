import type { Store } from "../../store/store.ts";
import { perState } from "../memoPerVersion.ts";
import type { ChainFigures, DayFigures } from "./chainFigures.ts";
import { readDay, readFigures } from "./chainFigures.ts";
import type { DayCount } from "./charts.ts";
import { readDays } from "./charts.ts";
import { FeeSums } from "./feeSums.ts";

/** What is said of the chain as a whole, each figure worked out once for a state of the index. */
export interface ChainStats {
  figures(): Promise<ChainFigures | undefined>;
  days(): Promise<readonly DayCount[]>;
  dailyFees(): Promise<DayOfFees | undefined>;
}

export interface DayOfFees extends Pick<DayFigures, "transactions"> {
  readonly fees: bigint;
}

export function chainStats(store: Store): ChainStats {
  return {
    figures: perState(store, async (session, reach) => reach && readFigures(session, reach)),
    days: perState(store, async (session, reach) => (reach === undefined ? [] : readDays(session, reach))),
    dailyFees: feesOfTheDay(store),
  };
}

function feesOfTheDay(store: Store): () => Promise<DayOfFees | undefined> {
  const sums = new FeeSums(store);
  const day = perState(
    store,
    async (session, reach) => reach && { ...(await readDay(session, reach)), tip: reach.tip.number },
  );
  const ofState = perState(store, async (session, reach) => {
    if (reach === undefined) return undefined;
    const { firstBlock, transactions } = await readDay(session, reach);
    return { transactions, fees: await sums.sum(session, firstBlock, reach.tip.number) };
  });
  return async () => {
    const range = await day();
    if (range !== undefined) await sums.prepare(range.firstBlock, range.tip);
    return ofState();
  };
}
