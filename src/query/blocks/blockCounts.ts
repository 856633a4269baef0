import type { TokenKind } from "../../chain/token/tokenTransfer.ts";
import type { QueryContext } from "../context.ts";
import { contains, readIndexedRange } from "../indexedRange.ts";
import { readTokenRange } from "../stageRanges.ts";

export interface BlockCounts {
  readonly transactions: number;
  /** Undefined if the block is not traced. */
  readonly internal: number | undefined;
  readonly transfers: ReadonlyMap<TokenKind, number>;
}

/** Undefined for a block that is not indexed. */
export function readBlockCounts({ store }: QueryContext, number: number): Promise<BlockCounts | undefined> {
  return store.read(async (session) => {
    const [range, block, internal] = await Promise.all([
      readIndexedRange(session),
      session.blocks.byNumber(number),
      session.traces.countsOf([number]),
      readTokenRange(session),
    ]);
    if (block === undefined || !contains(range, number)) return undefined;
    const transfers = await session.tokens.transfers.countByKind(number);
    return { transactions: block.sums.transactions, internal: internal.get(number), transfers };
  });
}
