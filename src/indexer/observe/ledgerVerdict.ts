import type { LedgerVerdict } from "../../store/stages/tokens/tables/tokenLabels.ts";

/** Null or undefined if the token does not report a balance. */
export interface SampledBalance {
  readonly holder: number;
  readonly ledger: bigint;
  readonly told: bigint | null | undefined;
}

export interface Sampling {
  readonly balances: readonly SampledBalance[];
  readonly ledgerSupply: bigint;
  readonly toldSupply: bigint | null;
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
  const told = sampling.balances.filter((one): one is Told => typeof one.told === "bigint");
  const differing = told.filter((one) => one.told !== one.ledger);
  if (differing.length > 0) {
    const holders = [...differing.map(({ holder }) => holder), ...before.differing];
    const ledger = kindOfDifference(told, differing, sampling);
    return { ledger, differing: [...new Set(holders)].slice(0, MAX_DIFFERING) };
  }
  const agreeing = new Set(told.map(({ holder }) => holder));
  if (told.length === 0 || !before.differing.every((holder) => agreeing.has(holder))) return before;
  return { ledger: "agrees", differing: [] };
}

type Told = SampledBalance & { readonly told: bigint };

/**
 * Rebasing changes everyone's balance and the supply. A transfer fee leaves some holders with less than the logs say
 * and none with more, while others and the supply agree.
 */
function kindOfDifference(told: readonly Told[], differing: readonly Told[], sampling: Sampling): LedgerVerdict {
  const { ledgerSupply, toldSupply } = sampling;
  const signs = new Set(differing.map((one) => Math.sign(Number(one.told - one.ledger))));
  if (signs.size > 1 || toldSupply === null) return "differs";
  const [sign] = signs;
  const areAll = differing.length === told.length;
  const supplySign = Math.sign(Number(toldSupply - ledgerSupply));
  if (areAll && told.length > 1 && supplySign === sign) return "rebasing";
  if (sign === -1 && (!areAll || supplySign === 0)) return "fee_on_transfer";
  return "differs";
}
