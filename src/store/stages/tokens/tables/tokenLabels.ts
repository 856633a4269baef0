import { MAX_UINT256 } from "../../../../chain/encoding/uint.ts";
import type { TokenState } from "./tokenState.ts";

/** Comparison of reported balances with the ledger. */
export type LedgerVerdict = "unknown" | "agrees" | "differs" | "rebasing" | "fee_on_transfer";

/** Warnings about a token's balances. */
export const TOKEN_LABELS = {
  inconsistent: "Its transfers do not add up: an address sent more than it had, or the supply exceeds 256 bits.",
  ledger_differs: "`balanceOf` returns another value than the sum of its transfers.",
  rebasing: "The balances of all holders queried and the total supply differ, all in the same direction.",
  fee_on_transfer: "Some holders have less than was sent to them, and no holder queried has more.",
} as const;

export type TokenLabel = keyof typeof TOKEN_LABELS;

/** No honest token has this ledger. */
export function isInconsistent({ supply, debtors }: TokenState): boolean {
  return debtors > 0 || supply < 0n || supply > MAX_UINT256;
}

/** An incomplete ledger proves no inconsistency. */
export function labelsOf(
  state: TokenState,
  { ledger = "unknown", isComplete }: { ledger: LedgerVerdict | undefined; isComplete: boolean },
): TokenLabel[] {
  const labels: TokenLabel[] = isComplete && isInconsistent(state) ? ["inconsistent"] : [];
  if (ledger === "unknown" || ledger === "agrees") return labels;
  labels.push("ledger_differs");
  if (ledger !== "differs") labels.push(ledger);
  return labels;
}
