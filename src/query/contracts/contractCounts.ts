import type { QueryContext } from "../context.ts";
import { readIndexedRange } from "../indexedRange.ts";
import { readDay, totalsBefore } from "../stats/chainFigures.ts";

/** How many contracts there are, and how many of them came in the last day. */
export interface ContractCounts {
  /** Those that transactions deployed. */
  readonly deployed: number;
  readonly deployedInDay: number;
  readonly verified: number;
  readonly verifiedInDay: number;
}

const DAY = 86_400;

/** The day of deployments ends with the newest block, that of verifications now. */
export async function countContracts({ store, sources }: QueryContext): Promise<ContractCounts> {
  const deployed = await store.read(async (session) => {
    const range = await readIndexedRange(session);
    if (range === undefined) return { deployed: 0, deployedInDay: 0 };
    const { firstBlock } = await readDay(session, range);
    const { contracts } = range.tip.totals;
    return { deployed: contracts, deployedInDay: contracts - (await totalsBefore(session, firstBlock)).contracts };
  });
  const since = Math.floor(Date.now() / 1000) - DAY;
  return {
    ...deployed,
    verified: sources?.verifiedContracts.size ?? 0,
    verifiedInDay: (await sources?.countVerified(since)) ?? 0,
  };
}
