import type { Bytes } from "../../chain/encoding/bytes.ts";
import { equalBytes } from "../../chain/encoding/bytes.ts";
import type { BlockWindow } from "../blockWindow.ts";
import type { QueryContext } from "../context.ts";
import { readIndexedRange } from "../indexedRange.ts";
import { readInParts } from "../readInParts.ts";
import { scanBlocks } from "./scanBlocks.ts";
import type { PaidWithdrawal } from "./withdrawals.ts";
import { payWithdrawal } from "./withdrawals.ts";

/** Withdrawals to an address within some blocks. There is no index of them: blocks are scanned. */
export function readWithdrawalHistory(
  { store }: QueryContext,
  address: Bytes,
  { fromBlock, toBlock, order, skip, limit }: BlockWindow,
): Promise<readonly PaidWithdrawal[]> {
  return readInParts(store, toBlock, async (parts) => {
    const range = await parts.read(readIndexedRange);
    if (range === undefined) return [];
    const found: PaidWithdrawal[] = [];
    const scan = { first: Math.max(fromBlock, range.first), last: Math.min(toBlock, range.tip.number), order };
    await scanBlocks(parts, scan, ({ header }) => {
      const own = (header.withdrawals ?? []).filter((withdrawal) => equalBytes(withdrawal.address, address));
      for (const withdrawal of order === "asc" ? own : own.reverse()) found.push(payWithdrawal(withdrawal, header));
      return found.length >= skip + limit;
    });
    return found.slice(skip, skip + limit);
  });
}
