import type { AddressCounters, AddressCounts } from "../../../query/accounts/counters.ts";
import type { Shape } from "../../openapi/values.ts";
import type { AccountCountersSchema, AccountListsSchema } from "./accountSchema.ts";

export function presentCounters(counters: AddressCounters): Shape<typeof AccountCountersSchema> {
  const { transactions, transfers, gasUsed, minedBlocks } = counters;
  return {
    transactions_count: String(transactions),
    token_transfers_count: transfers === null ? null : String(transfers),
    gas_usage_count: String(gasUsed),
    validations_count: String(minedBlocks),
  };
}

/** Exact, where others stop counting at 51. */
export function presentTabsCounters(counts: AddressCounts): Shape<typeof AccountListsSchema> {
  return {
    transactions_count: counts.transactions,
    token_transfers_count: counts.transfers,
    token_balances_count: counts.assets,
    logs_count: counts.logs,
    internal_transactions_count: counts.internal,
    validations_count: counts.minedBlocks,
    withdrawals_count: null,
  };
}
