import type { EVMRunCallOpts } from "@ethereumjs/evm";
import { Address } from "@ethereumjs/util";
import { EMPTY } from "../../chain/encoding/bytes.ts";
import { uintToBigInt } from "../../chain/encoding/uint.ts";
import { blobGasPrice } from "../block/blobGasPrice.ts";
import type { HeaderFields } from "../block/plan.ts";
import type { ForkRules, Rules } from "../rules.ts";
import type { BlockOverrides } from "./blockOverrides.ts";

type EnvironmentHeader = NonNullable<EVMRunCallOpts["block"]>["header"];

export interface Environment {
  readonly rules: ForkRules;
  readonly header: Omit<EnvironmentHeader, "getBlobGasPrice"> & { getBlobGasPrice(): bigint };
}

export function environmentOf(header: HeaderFields, chain: Rules, overrides: BlockOverrides = {}): Environment {
  const number = overrides.number ?? BigInt(header.number);
  const timestamp = overrides.timestamp ?? BigInt(header.timestamp);
  const rules = chain.at({ number: Number(number), timestamp: Number(timestamp) });
  const baseFee = overrides.baseFeePerGas ?? (header.baseFeePerGas && uintToBigInt(header.baseFeePerGas));
  return {
    rules,
    header: {
      number,
      timestamp,
      coinbase: new Address(overrides.feeRecipient ?? header.miner),
      difficulty: overrides.difficulty ?? uintToBigInt(header.difficulty),
      prevRandao: overrides.prevRandao ?? header.mixHash,
      gasLimit: overrides.gasLimit ?? uintToBigInt(header.gasLimit),
      ...(baseFee !== undefined && { baseFeePerGas: baseFee }),
      getBlobGasPrice: () => overrides.blobBaseFee ?? blobGasPrice(uintToBigInt(header.excessBlobGas ?? EMPTY), rules),
    },
  };
}

/** A call without a gas price sees base fee 0. */
export function unpricedFor(
  environment: Environment,
  { gasPrice, maxFeePerBlobGas }: { readonly gasPrice: bigint; readonly maxFeePerBlobGas: bigint | undefined },
): Environment {
  const { rules, header } = environment;
  if (gasPrice !== 0n && maxFeePerBlobGas !== 0n) return environment;
  return {
    rules,
    header: {
      ...header,
      ...(gasPrice === 0n && header.baseFeePerGas !== undefined && { baseFeePerGas: 0n }),
      ...(maxFeePerBlobGas === 0n && { getBlobGasPrice: () => 0n }),
    },
  };
}
