import { fakeExponential } from "../../chain/block/fakeExponential.ts";
import type { ForkRules } from "../rules.ts";

/** The price of blob gas, which grows as e to the power of the excess (EIP-4844); nothing before there were blobs. */
export function blobGasPrice(excess: bigint, rules: ForkRules): bigint {
  if (!rules.isActivatedEIP(4844)) return 0n;
  const fraction = rules.getBlobGasSchedule().blobGasPriceUpdateFraction;
  return fakeExponential(rules.param("minBlobGas"), excess, fraction);
}
