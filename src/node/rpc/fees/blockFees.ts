import type { Header } from "../../../chain/block/header.ts";
import { uintToBigInt } from "../../../chain/encoding/uint.ts";
import { nextFees } from "../../block/plan.ts";
import type { ForkRules, Rules } from "../../rules.ts";

/** What a unit of gas and of blob gas costs in a block; nothing where the rules know no such fee. */
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

/** The fees of the block after one, which follow from what it used. */
export function feesAfter(header: Header, rules: Rules): BaseFees {
  const next = rules.at({ number: header.number + 1, timestamp: header.timestamp + 1 });
  if (!next.isActivatedEIP(1559)) return { gas: 0n, blobGas: 0n };
  const { baseFeePerGas, excessBlobGas } = nextFees(header, rules, next);
  return {
    gas: baseFeePerGas,
    blobGas: next.isActivatedEIP(4844) ? blobGasPrice(excessBlobGas, next) : 0n,
  };
}

/** The price of blob gas, which grows as e to the power of the excess (EIP-4844). */
export function blobGasPrice(excess: bigint, rules: ForkRules): bigint {
  const fraction = rules.getBlobGasSchedule().blobGasPriceUpdateFraction;
  let sum = 0n;
  for (let term = rules.param("minBlobGas") * fraction, i = 1n; term > 0n; i++) {
    sum += term;
    term = (term * excess) / (fraction * i);
  }
  return sum / fraction;
}
