import { RPC, RpcError } from "../jsonrpc/rpcError.ts";
import type { MinedBlock } from "./block/minedBlock.ts";
import type { Chain } from "./chain.ts";
import type { BlockId, Tag } from "./params/blockParams.ts";

export function isPending(id: BlockId): boolean {
  return "tag" in id && id.tag === "pending";
}

/** The pending tag resolves to the head. */
export function minedBlock(chain: Chain, id: BlockId): MinedBlock | undefined {
  if ("hash" in id) return chain.blockOf(id.hash);
  const number = "number" in id ? id.number : numberOf(chain, id.tag);
  return number === chain.head.header.number ? chain.head : chain.block(number);
}

export function expectMined(chain: Chain, id: BlockId): MinedBlock {
  return minedBlock(chain, id) ?? notFound(id);
}

export function numberOf(chain: Chain, tag: Tag): number {
  switch (tag) {
    case "earliest":
      return 0;
    case "safe":
      return chain.safe;
    case "finalized":
      return chain.finalized;
    default:
      return chain.head.header.number;
  }
}

export function notFound(id: BlockId): never {
  throw new RpcError(RPC.server, "hash" in id ? "header for hash not found" : "header not found");
}
