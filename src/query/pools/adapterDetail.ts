import type { Bytes } from "../../chain/encoding/bytes.ts";
import type { Hex } from "../../chain/encoding/hex.ts";
import { itemAt } from "../../std/values.ts";
import type { QueryContext } from "../context.ts";
import type { ListedPool } from "../exchange/listedPools.ts";
import { readDecimals } from "../exchange/tokenDecimals.ts";
import { readAdapterPools } from "./adapterPools.ts";
import type { PoolToken } from "./poolRecords.ts";
import { feeOf, readPoolTokens } from "./poolRecords.ts";

export interface CreatedPair {
  readonly pool: ListedPool;
  /** Hundredths of a basis point; undefined if each swap has its own. */
  readonly fee: number | undefined;
  readonly transactionHash: Bytes;
  readonly timestamp: number;
}

/** Undefined if there is no such pool, or none whose events are listed. */
export function findAdapterPair({ exchange }: QueryContext, id: Hex): Promise<CreatedPair | undefined> {
  return exchange.read(async (session, view) => {
    const listed = view.listing.poolsByHex.get(id);
    const [found] = listed === undefined ? [] : await readAdapterPools(session, view, [listed]);
    if (found === undefined) return undefined;
    const { pool } = found;
    const { transactionHash, header } = itemAt(await session.logs.at([pool.position]), 0);
    const fee = pool.hasDynamicFee || pool.isFeeAssumed ? undefined : feeOf(view, pool);
    return { pool, fee, transactionHash, timestamp: header.timestamp };
  });
}

/** Undefined if no pool has the token, or if it does not say its decimals. */
export function findAdapterAsset({ exchange }: QueryContext, address: Hex): Promise<PoolToken | undefined> {
  return exchange.read(async (session, view) => {
    const listed = view.listing.tokensByHex.get(address);
    if (listed === undefined) return undefined;
    const [decimals, tokens] = await Promise.all([
      readDecimals(session, [listed], view.balances.ids),
      readPoolTokens(session, view, [listed]),
    ]);
    return typeof decimals.get(listed.number) === "number" ? tokens.get(listed.number) : undefined;
  });
}
