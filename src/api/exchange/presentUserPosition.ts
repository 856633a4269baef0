import { checksumAddress } from "../../chain/encoding/checksum.ts";
import { uintToBigInt } from "../../chain/encoding/uint.ts";
import { formatAmount, formatFraction } from "../../exchange/decimal.ts";
import { poolIdOf } from "../../query/pools/poolId.ts";
import { positionNameOf } from "../../query/pools/positionName.ts";
import type { UserPosition } from "../../query/pools/userPositions.ts";
import type { Shape } from "../openapi/values.ts";
import { dollars, poolName } from "./presentPool.ts";
import type { UserPositionSchema } from "./userSchema.ts";

const PERCENT_PLACES = 8;

export function presentUserPosition(user: UserPosition): Shape<typeof UserPositionSchema> {
  const { record, position, liquidity, total, isInRange, uncollected, uncollectedValue } = user;
  const { pool, token0, token1 } = record;
  const share = isInRange && total > 0n ? formatFraction(liquidity * 100n, total, PERCENT_PLACES) : "0";
  return {
    id: positionNameOf(pool, position),
    pool: poolIdOf(pool),
    name: poolName(record),
    dex: pool.dex,
    poolType: pool.type,
    feeTier: String(record.fee),
    token0: checksumAddress(token0.listed.address),
    token1: checksumAddress(token1.listed.address),
    manager: position?.manager === undefined ? null : checksumAddress(position.manager),
    tokenId: position?.tokenId === undefined ? null : String(uintToBigInt(position.tokenId)),
    tickLower: position?.tickLower ?? null,
    tickUpper: position?.tickUpper ?? null,
    liquidity: String(liquidity),
    sharePercent: share,
    inRange: isInRange,
    token0Amount: formatAmount(user.amount0, token0.decimals),
    token1Amount: formatAmount(user.amount1, token1.decimals),
    valueUsd: dollars(user.value),
    uncollected0: uncollected === undefined ? null : formatAmount(uncollected[0], token0.decimals),
    uncollected1: uncollected === undefined ? null : formatAmount(uncollected[1], token1.decimals),
    uncollectedUsd: uncollectedValue === undefined ? null : dollars(uncollectedValue),
  };
}
