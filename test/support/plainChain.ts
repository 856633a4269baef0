import type { WireBlock, WireReceipt } from "./wireForm.ts";

/** A block in a node's JSON. */
export interface PlainBlock {
  readonly number: number;
  readonly hash: string;
  readonly block: WireBlock;
  readonly receipts: readonly WireReceipt[];
}

/** A chain in a node's JSON, from its first block to its head. A simulated chain is one. */
export interface PlainChain {
  readonly length: number;
  readonly head: PlainBlock;
  at(number: number): PlainBlock | undefined;
}

export type Ask = <T>(method: string, ...params: unknown[]) => Promise<T>;

/** Asks a node for all of its blocks and receipts. */
export async function readPlainChain(ask: Ask): Promise<PlainChain> {
  const height = Number(await ask<string>("eth_blockNumber"));
  const blocks: PlainBlock[] = [];
  for (let number = 0; number <= height; number++) {
    const block = await ask<WireBlock>("eth_getBlockByNumber", `0x${number.toString(16)}`, true);
    const receipts = await ask<WireReceipt[]>("eth_getBlockReceipts", block.hash);
    blocks.push({ number, hash: block.hash, block, receipts });
  }
  return { length: blocks.length, head: blocks.at(-1)!, at: (number) => blocks[number] };
}

export function blocksOf(chain: PlainChain, since = 0): PlainBlock[] {
  return Array.from({ length: Math.max(chain.length - since, 0) }, (_, at) => chain.at(since + at)!);
}
