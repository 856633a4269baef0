import { toHex } from "../../chain/encoding/hex.ts";
import { formatAmount } from "../../exchange/decimal.ts";
import type { LiquidityEvent } from "../../query/pools/liquidityHistory.ts";
import { poolIdOf } from "../../query/pools/poolId.ts";
import type { PoolRecord } from "../../query/pools/poolRecords.ts";
import { positionNameOf } from "../../query/pools/positionName.ts";
import type { Profit } from "../../query/pools/profits.ts";
import type { Shape } from "../openapi/values.ts";
import type { LiquidityEventSchema, ProfitSchema } from "./liquiditySchema.ts";
import { dollars, percent, poolName } from "./presentPool.ts";

export function presentLiquidity(
  { token0, token1 }: PoolRecord,
  event: LiquidityEvent,
): Shape<typeof LiquidityEventSchema> {
  const { amounts, shares, value } = event;
  return {
    transaction_hash: toHex(event.transactionHash),
    log_index: event.logIndex,
    block_number: event.block,
    timestamp: event.timestamp,
    type: event.type,
    shares: shares === undefined ? null : String(shares),
    token0Amount: amounts === undefined ? null : formatAmount(amounts[0], token0.decimals),
    token1Amount: amounts === undefined ? null : formatAmount(amounts[1], token1.decimals),
    valueUsd: value === undefined ? null : dollars(value),
  };
}

export function presentProfit({ position: user, ...profit }: Profit): Shape<typeof ProfitSchema> {
  const { record, position } = user;
  const { pool, token0, token1 } = record;
  const of = (amounts: readonly [bigint, bigint] | undefined, at: 0 | 1) =>
    amounts === undefined ? null : formatAmount(amounts[at], [token0, token1][at]!.decimals);
  const value = (amount: bigint | undefined) => (amount === undefined ? null : dollars(amount));
  const { deposited, withdrawn, fees, put, profit: gained } = profit;
  const isPart = gained !== undefined && put !== undefined && put > 0n;
  return {
    id: positionNameOf(pool, position),
    pool: poolIdOf(pool),
    name: poolName(record),
    cost: profit.cost,
    deposited0: of(deposited, 0),
    deposited1: of(deposited, 1),
    withdrawn0: of(withdrawn, 0),
    withdrawn1: of(withdrawn, 1),
    fees0: of(fees, 0),
    fees1: of(fees, 1),
    worthUsd: value(profit.worth),
    heldUsd: value(profit.held),
    profitUsd: value(gained),
    profitPercent: isPart ? percent({ numerator: gained, denominator: put }) : null,
  };
}
