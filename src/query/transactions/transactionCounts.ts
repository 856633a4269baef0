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
    let counts: TransactionCounts | undefined;
    await session.transactions.byHash(hash, async ({ block, index, logs }) => {
      const { number } = block.header;
      const [areTransfersThere, transfers, traces, calls] = await Promise.all([
        readIndexedRange(session).then((range) => hasTokens(session, range)),
        session.tokens.transfers.ofTransaction(number, index).count(),
        session.traces.tip(),
        session.traces.ofTransaction(number, index),
      ]);
      counts = {
        logs: logs.count,
        transfers: areTransfersThere ? transfers : undefined,
        internal: number <= (traces?.number ?? -1) ? await calls?.count() : undefined,
      };
    });
    return counts;
  });
}
