import type { Bytes } from "../../chain/encoding/bytes.ts";
import type { ReadSession } from "../../store/session.ts";
import type { MinedCall } from "../../store/stages/traces/traceReads.ts";
import type { BlockWindow } from "../blockWindow.ts";
import { readBlockWindow } from "../blockWindow.ts";
import type { QueryContext } from "../context.ts";
import { readInParts } from "../readInParts.ts";
import { readTraceRange } from "../stageRanges.ts";

interface InternalHistory {
  readonly calls: readonly MinedCall[];
  /** Whether requested blocks are not traced yet. */
  readonly isBehind: boolean;
}

/** Of an address or of the chain. */
export async function readInternalHistory(
  { store }: QueryContext,
  address: Bytes | undefined,
  window: BlockWindow,
): Promise<InternalHistory> {
  const { listed, items } = await readInParts(store, window.toBlock, (parts) =>
    readBlockWindow(parts, window, async (session) => {
      const range = await readTraceRange(session);
      const tip = await session.blocks.tip();
      const end = Math.min(window.toBlock, tip?.number ?? 0);
      return {
        isBehind: range !== undefined && range.tip.number < end,
        list: ({ traces }: ReadSession) => (address === undefined ? traces.all() : traces.ofAddress(address)),
        read: ({ traces }: ReadSession, positions: readonly number[]) => traces.at(positions),
      };
    }),
  );
  return { calls: items, isBehind: listed.isBehind };
}
