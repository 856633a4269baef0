import type { PoolType } from "../chain/exchange/exchangeFields.ts";
import { min } from "../std/numbers.ts";
import type { PoolSnapshot } from "./pool.ts";
import type { TokenPrice } from "./prices.ts";

/** A side of a pool: its token's price, and whether the token is an anchor. */
export interface Side {
  readonly price: TokenPrice | undefined;
  readonly isAnchor: boolean;
}

type Held = Pick<PoolSnapshot, "balance0" | "balance1">;

/**
 * Value held by a pool. An anchor counts in full, the other token at most as much again. A pool without an anchor
 * counts 0: its tokens are priced by pools that are already counted, and any number of pools could claim the same
 * value.
 */
export function valueLocked(
  type: PoolType,
  { balance0, balance1 }: Held,
  [side0, side1]: readonly [Side, Side],
): bigint {
  const [value0, value1] = [worth(balance0, side0), worth(balance1, side1)];
  if (side0.isAnchor && side1.isAnchor) return value0 + value1;
  if (!side0.isAnchor && !side1.isAnchor) return 0n;
  const [anchored, other] = side0.isAnchor ? [value0, value1] : [value1, value0];
  return type === "v2" || type === "volatile" ? 2n * anchored : anchored + min(other, anchored);
}

/** The anchors a pool holds: the part of its value that cannot be made up. */
export function anchorsHeld({ balance0, balance1 }: Held, [side0, side1]: readonly [Side, Side]): bigint {
  return (side0.isAnchor ? worth(balance0, side0) : 0n) + (side1.isAnchor ? worth(balance1, side1) : 0n);
}

/** Two anchors: the mean of both sides. One: its side. None: 0. */
export function valueTraded(volume0: bigint, volume1: bigint, [side0, side1]: readonly [Side, Side]): bigint {
  const [value0, value1] = [worth(volume0, side0), worth(volume1, side1)];
  if (side0.isAnchor && side1.isAnchor) return (value0 + value1) / 2n;
  if (side0.isAnchor) return value0;
  return side1.isAnchor ? value1 : 0n;
}

export function worth(amount: bigint, { price }: Side): bigint {
  return price === undefined || amount <= 0n ? 0n : amount * price.value;
}
