import type { CoinBalancePage, DailyBalance } from "../../../query/accounts/coinBalances.ts";
import { DAYS } from "../../../query/accounts/coinBalances.ts";
import type { Shape } from "../../openapi/values.ts";
import { timestamp } from "../amounts.ts";
import type { Envelope } from "../envelope.ts";
import { presentPage } from "../envelope.ts";
import type { CoinBalanceSchema, DailyBalancesSchema } from "./coinBalanceSchema.ts";

export function presentCoinBalances({ balances, info }: CoinBalancePage): Envelope<Shape<typeof CoinBalanceSchema>> {
  const items = balances.map(({ header, value, delta }) => ({
    block_number: header.number,
    block_timestamp: timestamp(header.timestamp),
    value: value.toString(),
    delta: delta.toString(),
    transaction_hash: null,
  }));
  return presentPage(items, info);
}

export function presentDailyBalances(days: readonly DailyBalance[]): Shape<typeof DailyBalancesSchema> {
  const items = days.map(({ day, value }) => ({
    date: new Date(day * 1000).toISOString().slice(0, 10),
    value: value.toString(),
  }));
  return { days: DAYS, items };
}
