import type { QueryContext } from "../context.ts";

/** What one coin of the chain costs. */
export interface CoinPrice {
  /** In US dollars, as a decimal text. */
  readonly usd: string;
  /** Of the block that it is taken from, in Unix seconds. */
  readonly timestamp: number;
}

/** Undefined where no pool with a known price trades the coin: none is known yet. */
export async function readCoinPrice(_: QueryContext): Promise<CoinPrice | undefined> {
  return undefined;
}
