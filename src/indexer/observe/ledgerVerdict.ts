import type { LedgerVerdict } from "../../store/stages/tokens/tables/tokenLabels.ts";

/** Null or undefined if the token does not report a balance. */
export interface SampledBalance {
  readonly holder: number;
  readonly ledger: bigint;
  readonly reported: bigint | null | undefined;
}

interface Sampling {
  readonly balances: readonly SampledBalance[];
  readonly ledgerSupply: bigint;
  readonly reportedSupply: bigint | null;
}

export interface Judgement {
  readonly ledger: LedgerVerdict;
  readonly differing: readonly number[];
}

/** Differing holders to re-sample. */
const MAX_DIFFERING = 8;

/**
 * Judges a token's ledger by sampled balances. A missing balance is no difference. A holder that differed counts until
 * it is sampled again and agrees.
 */
export function judgeLedger(sampling: Sampling, before: Judgement): Judgement {
  const reported = sampling.balances.filter((one): one is ReportedBalance => typeof one.reported === "bigint");
  const differing = reported.filter((one) => one.reported !== one.ledger);
  if (differing.length > 0) {
    const holders = [...differing.map(({ holder }) => holder), ...before.differing];
    const ledger = kindOfDifference(reported, differing, sampling);
    return { ledger, differing: [...new Set(holders)].slice(0, MAX_DIFFERING) };
  }
  const agreeing = new Set(reported.map(({ holder }) => holder));
  if (reported.length === 0 || !before.differing.every((holder) => agreeing.has(holder))) return before;
  return { ledger: "agrees", differing: [] };
}

type ReportedBalance = SampledBalance & { readonly reported: bigint };

/**
 * Rebasing changes everyone's balance and the supply. A transfer fee leaves some holders with less than the logs say
 * and none with more, while others and the supply agree.
 */
function kindOfDifference(
  reported: readonly ReportedBalance[],
  differing: readonly ReportedBalance[],
  sampling: Sampling,
): LedgerVerdict {
  const { ledgerSupply, reportedSupply } = sampling;
  const signs = new Set(differing.map((one) => Math.sign(Number(one.reported - one.ledger))));
  if (signs.size > 1 || reportedSupply === null) return "differs";
  const [sign] = signs;
  const areAll = differing.length === reported.length;
  const supplySign = Math.sign(Number(reportedSupply - ledgerSupply));
  if (areAll && reported.length > 1 && supplySign === sign) return "rebasing";
  if (sign === -1 && (!areAll || supplySign === 0)) return "fee_on_transfer";
  return "differs";
}
