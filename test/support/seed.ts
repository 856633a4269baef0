import { randomInt } from "node:crypto";

/**
 * Where random cases begin. By default the same seed in every run, so that a run that fails does so because of the
 * change it tests; `ORIEL_SEED` is another one, and `random` takes a new one.
 */
export function firstSeed(usual = 1): number {
  const given = process.env.ORIEL_SEED;
  if (given === "random") return randomInt(2 ** 31);
  return Number(given ?? usual);
}
