import type { Header } from "../../../chain/block/header.ts";
import { uintToBigInt } from "../../../chain/encoding/uint.ts";
import { blobGasPrice } from "../../block/blobGasPrice.ts";
import { nextFees } from "../../block/plan.ts";
import type { Rules } from "../../rules.ts";

/** Undefined before EIP-1559 and EIP-4844. */
export interface BaseFees {
  readonly gas: bigint;
  readonly blobGas: bigint;
}

export function feesOf(header: Header, rules: Rules): BaseFees {
  const { baseFeePerGas, excessBlobGas } = header;
  return {
    gas: baseFeePerGas === undefined ? 0n : uintToBigInt(baseFeePerGas),
    blobGas: excessBlobGas === undefined ? 0n : blobGasPrice(uintToBigInt(excessBlobGas), rules.at(header)),
  };
}

/** Fees of the next block. */
export function feesAfter(header: Header, rules: Rules): BaseFees {
  const next = rules.at({ number: header.number + 1, timestamp: header.timestamp + 1 });
  if (!next.isActivatedEIP(1559)) return { gas: 0n, blobGas: 0n };
  const { baseFeePerGas, excessBlobGas } = nextFees(header, rules, next);
  return {
    gas: baseFeePerGas,
    blobGas: blobGasPrice(excessBlobGas, next),
  };
}
