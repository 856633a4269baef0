import type { Bytes } from "../../chain/encoding/bytes.ts";
import type { Hex } from "../../chain/encoding/hex.ts";
import type { QueryContext } from "../context.ts";
import type { PoolRecord } from "./poolRecords.ts";
import { poolsOfUser, readPool } from "./poolRecords.ts";

/** A pool with its tokens' prices, in units of 1 / SCALE dollars. */
export interface PoolDetail {
  readonly record: PoolRecord;
  readonly hasUserLiquidity: boolean;
  readonly basePrice: bigint;
  readonly quotePrice: bigint;
  readonly block: number;
}

export function findPool({ exchange }: QueryContext, address: Hex, user?: Bytes): Promise<PoolDetail | undefined> {
  return exchange.read(async (session, view) => {
    const record = await readPool(session, view, exchange.settings, address);
    if (record === undefined || view.range === undefined) return undefined;
    const { prices } = view.valued.dollars;
    const priceOf = ({ listed }: PoolRecord["base"]) => prices.get(listed.pricedAs)?.value ?? 0n;
    const owned = await poolsOfUser(session, view, [record.pool], user);
    return {
      record,
      hasUserLiquidity: owned.size > 0,
      basePrice: priceOf(record.base),
      quotePrice: priceOf(record.quote),
      block: view.range.tip.number,
    };
  });
}
