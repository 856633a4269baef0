import type { Call } from "./jsonRpc.ts";

/** The most bytes of any answer, decoded. The receipt of one transaction may have a hundred thousand logs. */
export const MAX_ANSWER_BYTES = 128 << 20;

/** Numbers, hashes, words and what an error says beside them. */
export const MAX_SMALL_BYTES = 1 << 20;

/** A block with the hashes of its transactions. */
export const MAX_OUTLINE_BYTES = 16 << 20;

const SMALL =
  /^(net_.*|web3_clientVersion|eth_(chainId|blockNumber|gasPrice|maxPriorityFeePerGas|blobBaseFee|getBalance|getTransactionCount|getStorageAt|estimateGas|syncing))$/;

/** The most bytes that the answer to a call can need, whatever else is allowed: a node cannot make more of a short one. */
export function maxResultBytes({ method, params }: Pick<Call, "method" | "params">): number {
  if (SMALL.test(method)) return MAX_SMALL_BYTES;
  const isOutline = method.startsWith("eth_getBlockBy") && params[1] === false;
  return isOutline ? MAX_OUTLINE_BYTES : MAX_ANSWER_BYTES;
}
