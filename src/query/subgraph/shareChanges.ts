import type { AddressBytes } from "../../chain/encoding/bytes.ts";
import { equalBytes, isZero } from "../../chain/encoding/bytes.ts";
import { uintToBigInt } from "../../chain/encoding/uint.ts";
import { readErc20 } from "../../chain/token/events/erc20.ts";
import type { SubgraphEvent } from "./subgraphEvents.ts";
import type { SubgraphTransaction } from "./transactionEvents.ts";

/** Shares of a pair that a mint or burn made or ended. */
export interface ShareChange {
  /** Who has them, or had them. */
  readonly account: AddressBytes;
  readonly amount: bigint;
}

/** Of the pair's last transfer from or to the zero address before the event: a pair moves its shares first. */
export function shareChangeOf(
  { mined, logs }: SubgraphTransaction,
  { position, log, change }: SubgraphEvent,
): ShareChange | undefined {
  const isMint = change.type === "mint";
  const before = logs.slice(0, position - mined.position - 1).reverse();
  for (const one of before) {
    const moved = equalBytes(one.address, log.address) ? readErc20(one) : undefined;
    if (moved === undefined || !isZero(isMint ? moved.from : moved.to)) continue;
    return { account: isMint ? moved.to : moved.from, amount: uintToBigInt(moved.amount) };
  }
  return undefined;
}
