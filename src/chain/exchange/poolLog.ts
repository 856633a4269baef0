import type { Log } from "../block/receipt.ts";
import type { AddressBytes } from "../encoding/bytes.ts";
import * as fields from "./exchangeFields.ts";
import { exchangeEventOf } from "./exchangeLog.ts";
import { readSwapInfinity } from "./infinity.ts";
import { readModifyLiquidity, readSwapV4 } from "./singleton.ts";

/** Event of a pool, in raw amounts. */
export interface PoolLog {
  readonly type: "swap" | "mint" | "burn" | "collect";
  /** Caller of the pool; undefined if the event does not include it. */
  readonly sender: AddressBytes | undefined;
  /** Who received what left the pool, or whose liquidity it is; undefined if the event does not include it. */
  readonly account: AddressBytes | undefined;
  /**
   * Positive into the pool. What a V3 burn releases stays there until it is collected. A change of V4 liquidity does not
   * say amounts.
   */
  readonly amount0: bigint;
  readonly amount1: bigint;
  /** Range of a V3 or V4 position. */
  readonly ticks: readonly [lower: number, upper: number] | undefined;
  /** Added or removed in it. */
  readonly liquidity: bigint | undefined;
}

/** Undefined unless the log has the form of one of these events. */
export function readPoolLog(log: Log): PoolLog | undefined {
  const none = { ticks: undefined, liquidity: undefined };
  switch (exchangeEventOf(log)) {
    case "swapV2":
    case "swapSolidly":
      return { type: "swap", ...none, ...swapOf(fields.readSwapV2(log)) };
    case "swapV3":
    case "swapPancake":
    case "swapAlgebra":
      return { type: "swap", ...none, ...swapOf(fields.readSwapV3(log)) };
    case "swapV4":
      return { type: "swap", ...none, ...swapOf(readSwapV4(log)) };
    case "swapInfinity":
      return { type: "swap", ...none, ...swapOf(readSwapInfinity(log)) };
    case "modifyLiquidity":
      return changeOf(log);
    case "mintV2": {
      const [amount0, amount1] = fields.readAmounts(log);
      return { type: "mint", ...none, sender: fields.addressAt(log.topics, 1), account: undefined, amount0, amount1 };
    }
    case "burnV2":
    case "burnSolidly": {
      const [amount0, amount1] = fields.readAmounts(log);
      const [sender, account] = [fields.addressAt(log.topics, 1), fields.addressAt(log.topics, 2)];
      return { type: "burn", ...none, sender, account, amount0: -amount0, amount1: -amount1 };
    }
    case "mintV3":
      return { type: "mint", ...positionOf(fields.readMintV3(log), 1n), sender: fields.addressAt(log.data, 0) };
    case "burnV3":
    case "burnAlgebra":
      return { type: "burn", ...positionOf(fields.readBurnV3(log), -1n), sender: undefined };
    case "claim": {
      const [amount0, amount1] = fields.readAmounts(log);
      const [sender, account] = [fields.addressAt(log.topics, 1), fields.addressAt(log.topics, 2)];
      return { type: "collect", ...none, sender, account, amount0: -amount0, amount1: -amount1 };
    }
    case "collect":
      return { type: "collect", ...positionOf(fields.readCollect(log), -1n), liquidity: undefined, sender: undefined };
    default:
      return undefined;
  }
}

function changeOf(log: Log): PoolLog {
  const { sender, tickLower, tickUpper, liquidity } = readModifyLiquidity(log);
  const isMint = liquidity > 0n;
  return {
    ...{ type: isMint ? "mint" : "burn", sender, account: sender, amount0: 0n, amount1: 0n },
    ...{ ticks: [tickLower, tickUpper], liquidity: isMint ? liquidity : -liquidity },
  };
}

function swapOf({ sender, recipient, amount0, amount1 }: fields.PoolSwap) {
  return { sender, account: recipient, amount0, amount1 };
}

function positionOf(change: fields.LiquidityChange, sign: 1n | -1n) {
  const { owner, tickLower, tickUpper, liquidity, amount0, amount1 } = change;
  return {
    account: owner,
    ticks: [tickLower, tickUpper] as const,
    liquidity,
    amount0: sign * amount0,
    amount1: sign * amount1,
  };
}
