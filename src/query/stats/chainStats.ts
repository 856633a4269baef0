import type { StoreReader } from "../../store/storeReader.ts";
import { readIndexedRange } from "../indexedRange.ts";
import { memoPerVersion } from "../memoPerVersion.ts";
import type { Range } from "../timeline.ts";
import type { ChainFigures, DayFigures } from "./chainFigures.ts";
import { readDay, readFigures } from "./chainFigures.ts";
import type { ChainHistory } from "./chainHistory.ts";
import { readChainHistory } from "./chainHistory.ts";
import type { DayCount } from "./charts.ts";
import { readDays } from "./charts.ts";
import { FeeHistory } from "./feeHistory.ts";
import { FeeSums } from "./feeSums.ts";

/** Each figure is computed once per index version. */
export interface ChainStats {
  figures(): Promise<ChainFigures | undefined>;
  days(): Promise<readonly DayCount[]>;
  dailyFees(): Promise<DayOfFees | undefined>;
  /** Undefined if nothing is indexed. */
  history(range: Range): Promise<ChainHistory | undefined>;
}

export interface DayOfFees extends Pick<DayFigures, "transactions"> {
  readonly fees: bigint;
}

export function chainStats(store: StoreReader): ChainStats {
  const fees = new FeeHistory();
  return {
    figures: memoPerVersion(store, async (session, range) => range && readFigures(session, range)),
    days: memoPerVersion(store, async (session, range) => (range === undefined ? [] : readDays(session, range))),
    dailyFees: feesOfTheDay(store),
    history: (range) =>
      store.read(async (session) => {
        const indexed = await readIndexedRange(session);
        return indexed && readChainHistory(session, indexed, range, fees);
      }),
  };
}

function feesOfTheDay(store: StoreReader): () => Promise<DayOfFees | undefined> {
  const sums = new FeeSums(store);
  const day = memoPerVersion(
    store,
    async (session, range) => range && { ...(await readDay(session, range)), tip: range.tip.number },
  );
  const ofState = memoPerVersion(store, async (session, range) => {
    if (range === undefined) return undefined;
    const { firstBlock, transactions } = await readDay(session, range);
    return { transactions, fees: await sums.sum(session, firstBlock, range.tip.number) };
  });
  return async () => {
    const range = await day();
    if (range !== undefined) await sums.prepare(range.firstBlock, range.tip);
    return ofState();
  };
}
