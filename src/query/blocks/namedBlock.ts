import { ChainError } from "../../chain/error.ts";
import type { Head } from "../../chain/source.ts";
import type { QueryContext } from "../context.ts";
import { readIndexedRange } from "../indexedRange.ts";
import { findBlock } from "./block.ts";

/** `latest` is the newest indexed block. */
export type BlockName = number | "latest" | "earliest" | "safe" | "finalized";

export type BlockRef = Pick<Head, "number" | "hash">;

export async function resolveBlock(context: QueryContext, name: BlockName): Promise<BlockRef | undefined> {
  if (name === "latest") return (await context.store.read(readIndexedRange))?.tip;
  return (await findBlock(context, await numberOf(context, name)))?.block.header;
}

async function numberOf({ node }: QueryContext, name: Exclude<BlockName, "latest">): Promise<number> {
  if (typeof name === "number") return name;
  if (name === "earliest") return 0;
  const head = await node?.head.current();
  if (!head) throw new ChainError("upstream_unavailable", `the node does not say which block is ${name}`);
  return head[name];
}
