import { fakeExponential } from "../../chain/block/fakeExponential.ts";
import type { ForkRules } from "../rules.ts";

/** EIP-4844; 0 before Cancun. */
export function blobGasPrice(excess: bigint, rules: ForkRules): bigint {
  if (!rules.isActivatedEIP(4844)) return 0n;
  const fraction = rules.getBlobGasSchedule().blobGasPriceUpdateFraction;
  return fakeExponential(rules.param("minBlobGas"), excess, fraction);
}
