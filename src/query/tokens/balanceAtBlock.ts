import type { Bytes } from "../../chain/encoding/bytes.ts";
import { toHex } from "../../chain/encoding/hex.ts";
import { ChainError } from "../../chain/error.ts";
import type { ContractCall } from "../../chain/source.ts";
import { balanceCall, supplyCall } from "../../chain/token/tokenCall.ts";
import { decodeUint } from "../../chain/token/tokenText.ts";
import type { BlockRef } from "../blocks/namedBlock.ts";
import type { QueryContext } from "../context.ts";
import { undefinedIfRejected } from "../node/readThrough.ts";

/** `no_state` if the node lacks the state, `no_answer` if the token returns nothing. */
export type AmountAtBlock = bigint | "no_state" | "no_answer";

/** 0 before the contract was created. */
export function readTokenBalanceAt(
  context: QueryContext,
  address: Bytes,
  token: Bytes,
  block: BlockRef,
): Promise<AmountAtBlock> {
  return readAmountAt(context, balanceCall(token, address), block);
}

/** 0 before the contract was created. */
export function readTokenSupplyAt(context: QueryContext, token: Bytes, block: BlockRef): Promise<AmountAtBlock> {
  return readAmountAt(context, supplyCall(token), block);
}

async function readAmountAt({ node }: QueryContext, call: ContractCall, block: BlockRef): Promise<AmountAtBlock> {
  if (node === undefined) throw new ChainError("unsupported", "there is no node to ask for amounts");
  const [outcome] = (await node.readThrough.calls([call], block).catch(undefinedIfRejected)) ?? [];
  if (outcome === undefined) return "no_state";
  if (outcome instanceof ChainError) return undefinedIfRejected(outcome) ?? "no_state";
  if (outcome === "reverted") return "no_answer";
  if (outcome.length > 0) return decodeUint(outcome) ?? "no_answer";
  const [code] = await node.readThrough.state([{ method: "eth_getCode", params: [toHex(call.to)] }], block);
  return code === "0x" ? 0n : "no_answer";
}
