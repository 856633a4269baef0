import type { SimulatedBlock } from "./simulatedChain.ts";
import type { Call, NodeView } from "./simulatedMethods.ts";
import { blockByHash, blockByNumber, RpcError } from "./simulatedMethods.ts";

/** Called with an address, the data and the block: answers the result, throws an `RpcError`, or never answers. */
export type ContractAnswer = (to: string, data: string, block: SimulatedBlock) => unknown;

export interface EthCallOptions {
  /** Refuses `{blockHash}`, as nodes older than EIP-1898 do. */
  refusesHashes?: boolean;
  /** Blocks below the head whose state is still there; all of them without it. */
  keptStates?: number;
}

export function answerCall(
  view: NodeView,
  { params }: Call,
  contracts: ContractAnswer,
  options: EthCallOptions,
): unknown {
  const [{ to, data }, at] = params as [{ to: string; data: string }, string | { blockHash: string }];
  if (typeof at === "object" && options.refusesHashes) {
    throw new RpcError(-32602, "invalid argument 1: json: cannot unmarshal object into Go value of type string");
  }
  const block = typeof at === "object" ? blockByHash(view, at.blockHash) : blockByNumber(view, at);
  if (block === undefined) throw new RpcError(-32000, "header not found");
  if (view.chain.head.number - block.number >= (options.keptStates ?? Number.POSITIVE_INFINITY)) {
    throw new RpcError(-32000, `missing trie node ${block.block.stateRoot} (path ) state is not available`);
  }
  return contracts(to, data, block);
}
