import type { AbiFunction } from "../../chain/abi/functions.ts";
import type { RevertReason } from "../../chain/abi/revert.ts";
import type { Bytes } from "../../chain/encoding/bytes.ts";
import { fromHex } from "../../chain/encoding/hex.ts";
import { ChainError } from "../../chain/error.ts";
import type { QueryContext } from "../context.ts";
import { readIndexedRange } from "../indexedRange.ts";
import type { CallQuestion } from "../node/readThrough.ts";

/** What a call returned, or why it reverted, after a block. */
export type Called = { readonly block: number } & ({ readonly returned: Bytes } | { readonly reason: RevertReason });

/** Calls a contract at the newest indexed block, as `eth_call` does: nothing changes. */
export async function callContract(context: QueryContext, question: CallQuestion): Promise<Called> {
  const tip = (await context.store.read(readIndexedRange))?.tip;
  if (tip === undefined || context.node === undefined) throw new ChainError("upstream_unavailable", "there is no node");
  const answer = await context.node.calls.call(question, tip);
  const block = tip.number;
  if ("returned" in answer) return { block, ...answer };
  return { block, reason: await context.decoder.revert(question.to, answer.reverted, tip) };
}

/** What functions without arguments return now; undefined where that is not found out in time. */
export async function readValues(
  { store, node }: QueryContext,
  address: Bytes,
  functions: readonly AbiFunction[],
): Promise<readonly (Bytes | "reverted" | undefined)[]> {
  const tip = (await store.read(readIndexedRange))?.tip;
  if (tip === undefined || node === undefined) return functions.map(() => undefined);
  const inputs = functions.map(({ selector }) => fromHex(selector));
  return node.calls.values(address, inputs, tip);
}
