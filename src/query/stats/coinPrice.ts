import type { QueryContext } from "../context.ts";
import { readRates } from "../exchange/rates.ts";

/** What one coin of the chain costs. */
export interface CoinPrice {
  /** In US dollars, as a decimal text. */
  readonly usd: string;
  /** Of the block that it is taken from, in Unix seconds. */
  readonly timestamp: number;
}

/** Undefined where no pool with a known price trades the coin. */
export async function readCoinPrice(context: QueryContext): Promise<CoinPrice | undefined> {
  const { coin, timestamp } = await readRates(context);
  return coin === undefined ? undefined : { usd: coin, timestamp };
}
