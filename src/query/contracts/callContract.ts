import type { AbiFunction } from "../../chain/abi/functions.ts";
import type { RevertReason } from "../../chain/abi/revert.ts";
import type { Bytes } from "../../chain/encoding/bytes.ts";
import { fromHex } from "../../chain/encoding/hex.ts";
import { ChainError } from "../../chain/error.ts";
import type { QueryContext } from "../context.ts";
import { readIndexedRange } from "../indexedRange.ts";
import type { CallQuestion } from "../node/readThrough.ts";

type Called = { readonly block: number } & ({ readonly returned: Bytes } | { readonly reason: RevertReason });

/** `eth_call` at the newest indexed block. */
export async function callContract(context: QueryContext, question: CallQuestion): Promise<Called> {
  const tip = (await context.store.read(readIndexedRange))?.tip;
  if (tip === undefined || context.node === undefined) throw new ChainError("upstream_unavailable", "there is no node");
  const answer = await context.node.calls.call(question, tip);
  const block = tip.number;
  if ("returned" in answer) return { block, ...answer };
  return { block, reason: await context.decoder.revert(question.to, answer.reverted, tip) };
}

/** Undefined for calls that do not finish in time. */
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
