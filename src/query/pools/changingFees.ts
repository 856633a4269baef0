import { isSingleton, isSolidly } from "../../chain/exchange/exchangeFields.ts";
import type { PoolState } from "../../store/stages/exchange/poolState.ts";
import type { ListedPool } from "../exchange/listedPools.ts";

export const hasChangingFees = ({ type }: ListedPool): boolean =>
  isSingleton(type) || type === "algebra" || isSolidly(type);

/** Undefined before the first log that tells the fee. */
export function changingFees({ type }: ListedPool, { singleton, algebra, solidly }: PoolState) {
  if (isSolidly(type)) return solidly;
  return type === "algebra" ? algebra : singleton;
}
