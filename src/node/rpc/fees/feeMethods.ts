import { quantity } from "../../../chain/encoding/hex.ts";
import type { Methods } from "../methods.ts";
import { feesAfter, feesOf } from "./blockFees.ts";
import { feeHistory } from "./feeHistory.ts";
import { suggestTip } from "./tips.ts";

export const feeMethods: Methods = {
  eth_gasPrice: ({ chain }) => quantity(feesOf(chain.head.header, chain.rules).gas + suggestTip(chain)),
  eth_maxPriorityFeePerGas: ({ chain }) => quantity(suggestTip(chain)),
  eth_baseFee: ({ chain }) => quantity(feesAfter(chain.head.header, chain.rules).gas),
  eth_blobBaseFee: ({ chain }) => {
    const { header } = chain.head;
    return header.excessBlobGas === undefined ? null : quantity(feesOf(header, chain.rules).blobGas);
  },
  eth_feeHistory: feeHistory,
};
