import { paramsTx } from "@ethereumjs/tx";
import type { ForkRules } from "../rules.ts";
import type { Message } from "./message.ts";

type Priced = Pick<Message, "to" | "data" | "accessList" | "authorizationList">;

export function intrinsicGas({ to, data, accessList, authorizationList = [] }: Priced, rules: ForkRules): bigint {
  const price = pricesOf(rules);
  const zeros = countZeros(data);
  let gas = price("txGas");
  if (to === undefined && rules.gteHardfork("homestead")) gas += price("txCreationGas");
  gas += BigInt(zeros) * price("txDataZeroGas") + BigInt(data.length - zeros) * price("txDataNonZeroGas");
  if (to === undefined && rules.isActivatedEIP(3860)) {
    gas += BigInt(Math.ceil(data.length / 32)) * price("initCodeWordGas");
  }
  for (const { storageKeys } of accessList) {
    gas += price("accessListAddressGas") + BigInt(storageKeys.length) * price("accessListStorageKeyGas");
  }
  if (authorizationList.length > 0) gas += BigInt(authorizationList.length) * price("perEmptyAccountCost");
  return gas;
}

/** Calldata floor (EIP-7623). */
export function floorGas({ data }: Pick<Message, "data">, rules: ForkRules): bigint {
  if (!rules.isActivatedEIP(7623)) return 0n;
  const price = pricesOf(rules);
  const tokens = data.length * 4 - countZeros(data) * 3;
  return price("txGas") + BigInt(tokens) * price("totalCostFloorPerToken");
}

function pricesOf(rules: ForkRules): (name: string) => bigint {
  rules.updateParams(paramsTx);
  return (name) => rules.param(name);
}

function countZeros(data: Uint8Array): number {
  let zeros = 0;
  for (let i = 0; i < data.length; i++) if (data[i] === 0) zeros++;
  return zeros;
}
