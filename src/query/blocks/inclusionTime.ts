import type { QueryContext } from "../context.ts";

/** The base fee falls by an eighth per empty block (EIP-1559). */
const MAX_FALL = 8n;

/**
 * Seconds until a transaction that pays this price per gas can be in a block, if the base fee falls as fast as it can;
 * `never` if it does not fall so low. Undefined while nothing is indexed.
 */
export async function estimateInclusion({ stats }: QueryContext, price: bigint): Promise<number | "never" | undefined> {
  const figures = await stats.figures();
  if (figures === undefined) return undefined;
  let baseFee = figures.gasPrices.slow.baseFee ?? 0n;
  let blocks = 1;
  for (; baseFee > price; blocks++) {
    const fall = baseFee / MAX_FALL;
    if (fall === 0n) return "never";
    baseFee -= fall;
  }
  return Math.ceil((blocks * figures.blockTime) / 1000);
}
