import type { ForkRules } from "../rules.ts";

/** The price of blob gas, which grows as e to the power of the excess (EIP-4844); nothing before there were blobs. */
export function blobGasPrice(excess: bigint, rules: ForkRules): bigint {
  if (!rules.isActivatedEIP(4844)) return 0n;
  const fraction = rules.getBlobGasSchedule().blobGasPriceUpdateFraction;
  let sum = 0n;
  for (let term = rules.param("minBlobGas") * fraction, i = 1n; term > 0n; i++) {
    sum += term;
    term = (term * excess) / (fraction * i);
  }
  return sum / fraction;
}
