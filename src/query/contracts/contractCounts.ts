import type { QueryContext } from "../context.ts";
import { readIndexedRange } from "../indexedRange.ts";
import { readDay, totalsBefore } from "../stats/chainFigures.ts";

export interface ContractCounts {
  readonly deployed: number;
  readonly deployedInDay: number;
  readonly verified: number;
  readonly verifiedInDay: number;
}

const DAY = 86_400;

/** Deployments: the day up to the newest block. Verifications: the day up to now. */
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
