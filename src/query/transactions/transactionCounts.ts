import type { Bytes } from "../../chain/encoding/bytes.ts";
import type { QueryContext } from "../context.ts";
import { readIndexedRange } from "../indexedRange.ts";
import { hasTokens } from "../stageRanges.ts";

export interface TransactionCounts {
  readonly logs: number;
  readonly transfers: number | undefined;
  readonly internal: number | undefined;
}

/** Undefined if not indexed. */
export function countTransaction({ store }: QueryContext, hash: Bytes): Promise<TransactionCounts | undefined> {
  return store.read(async (session) => {
    const mined = await session.transactions.byHash(hash);
    if (mined === undefined) return undefined;
    const { number } = mined.block.header;
    const areTransfersThere = await hasTokens(session, await readIndexedRange(session));
    const transfers = session.tokens.transfers.ofTransaction(number, mined.index);
    const traced = (await session.traces.tip())?.number ?? -1;
    const calls = number <= traced ? await session.traces.ofTransaction(number, mined.index) : undefined;
    return {
      logs: mined.logs.count,
      transfers: areTransfersThere ? await transfers.count() : undefined,
      internal: await calls?.count(),
    };
  });
}
