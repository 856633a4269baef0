import type { LedgerVerdict } from "../../store/tokens/observe/tokenLabels.ts";

/** A balance by the ledger and by the token; null or undefined where the token does not say. */
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

/** Holders remembered for having differed. */
const MAX_DIFFERING = 8;

/**
 * What a sampling says of a token's ledger. A balance that is not told is no difference. One that differed is held against
 * the token until the same holder is asked again and agrees.
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
 * Balances that grow or shrink by themselves do so for everybody and in the total. A fee taken on the way leaves some
 * with less than the log said and nobody with more, while those who were not sent anything, or the total, are right.
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
