import type { Bytes } from "../../chain/encoding/bytes.ts";
import { equalBytes } from "../../chain/encoding/bytes.ts";
import { ChainError } from "../../chain/error.ts";
import type { MinedLog } from "../../store/read/logs.ts";
import type { QueryContext } from "../context.ts";

export interface LogExcerpt {
  readonly logs: readonly (MinedLog & { readonly data: Bytes })[];
  readonly hasMore: boolean;
}

/** Cursor and limit. */
interface LogWindow {
  readonly after: number | undefined;
  readonly limit: number;
}

/** Undefined if the transaction is not in the block with this hash. */
export async function readTransactionLogs(
  { store }: QueryContext,
  transaction: Bytes,
  block: Bytes,
  { after = -1, limit }: LogWindow,
): Promise<LogExcerpt | undefined> {
  return store.read(async (session) => {
    const mined = await session.transactions.byHash(transaction);
    if (mined === undefined || !equalBytes(mined.block.header.hash, block)) return undefined;
    const from = Math.max(after + 1 - mined.logs.first, 0);
    const read = await session.logs.ofTransaction(mined, from, from + limit);
    const logs = beforeOmitted(read);
    return { logs, hasMore: from + logs.length < mined.logs.count };
  });
}

/** Stops before a log whose data was omitted; the next page begins with it. */
function beforeOmitted(read: readonly MinedLog[]): LogExcerpt["logs"] {
  const end = read.findIndex(({ data }) => data === null);
  if (end === 0) throw new ChainError("limit_exceeded", "the data of a log is too long");
  const logs = end < 0 ? read : read.slice(0, end);
  return logs as LogExcerpt["logs"];
}
