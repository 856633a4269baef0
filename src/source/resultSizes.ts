import type { Call } from "./jsonRpc.ts";

/** Decoded bytes of any response. The receipt of one transaction may have a hundred thousand logs. */
export const MAX_ANSWER_BYTES = 128 << 20;

export const MAX_SMALL_BYTES = 1 << 20;

export const MAX_OUTLINE_BYTES = 16 << 20;

const SMALL =
  /^(net_.*|web3_clientVersion|eth_(chainId|blockNumber|gasPrice|maxPriorityFeePerGas|blobBaseFee|getBalance|getTransactionCount|getStorageAt|estimateGas|syncing))$/;

/** Upper bound for the result of a call, however large the general limit. */
export function maxResultBytes({ method, params }: Pick<Call, "method" | "params">): number {
  if (SMALL.test(method)) return MAX_SMALL_BYTES;
  const isOutline = method.startsWith("eth_getBlockBy") && params[1] === false;
  return isOutline ? MAX_OUTLINE_BYTES : MAX_ANSWER_BYTES;
}
