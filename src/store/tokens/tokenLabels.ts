import type { TokenState } from "./tokenState.ts";

/** How the balances a token tells compare with those its transfers add up to. */
export type LedgerVerdict = "unknown" | "agrees" | "differs" | "rebasing" | "fee_on_transfer";

/** What a reader should know before trusting a token's balances, with what each label says. */
export const TOKEN_LABELS = {
  inconsistent: "Its transfers do not add up: more was sent than there was, or more minted than 256 bits hold.",
  ledger_differs: "`balanceOf` does not say what the transfers add up to.",
  rebasing: "It does so for every holder asked, and for the total supply, in one direction.",
  fee_on_transfer: "Holders have less than they were sent; nobody asked has more.",
} as const;

export type TokenLabel = keyof typeof TOKEN_LABELS;

const MOST_SUPPLY = 2n ** 256n - 1n;

/** Whether no honest token can have this ledger. */
export function isInconsistent({ supply, debtors }: TokenState): boolean {
  return debtors > 0 || supply < 0n || supply > MOST_SUPPLY;
}

export function labelsOf(state: TokenState, ledger: LedgerVerdict = "unknown"): TokenLabel[] {
  const labels: TokenLabel[] = isInconsistent(state) ? ["inconsistent"] : [];
  if (ledger === "unknown" || ledger === "agrees") return labels;
  labels.push("ledger_differs");
  if (ledger !== "differs") labels.push(ledger);
  return labels;
}
