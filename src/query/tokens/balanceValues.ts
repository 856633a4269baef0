import type { Bytes } from "../../chain/encoding/bytes.ts";
import type { IndexedRange } from "../indexedRange.ts";
import type { KnownToken } from "../../store/tokens/tokenReads.ts";
import type { Context } from "../context.ts";

/** What somebody has by the ledger of transfers. */
export interface LedgerBalance {
  readonly token: KnownToken;
  readonly holder: Bytes;
  readonly amount: bigint;
}

export interface BalanceValue {
  readonly value: string;
  readonly value_source: "ledger" | "balanceOf";
}

/** The balances to show: the ledger's, but the token's own where the two are known to differ. */
export async function readValues(
  { nodeBalances }: Context,
  range: IndexedRange | undefined,
  balances: readonly LedgerBalance[],
): Promise<BalanceValue[]> {
  const doubtful = balances.filter(({ token }) => token.labels.includes("ledger_differs"));
  if (doubtful.length === 0 || nodeBalances === undefined || range === undefined) return balances.map(byLedger);
  const told = await nodeBalances.read(
    doubtful.map(({ token, holder }) => ({ token: token.address, holder })),
    range.tip,
  );
  const byToken = new Map(doubtful.map((balance, at) => [balance, told[at]]));
  return balances.map((balance) => {
    const value = byToken.get(balance);
    return value === undefined ? byLedger(balance) : { value: value.toString(), value_source: "balanceOf" };
  });
}

function byLedger({ amount }: LedgerBalance): BalanceValue {
  return { value: amount.toString(), value_source: "ledger" };
}
