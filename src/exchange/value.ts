import type { PoolSnapshot } from "./pool.ts";
import { least } from "./pool.ts";
import type { TokenPrice } from "./prices.ts";

/** A side of a pool: its token's price, and whether the token is an anchor. */
export interface Side {
  readonly price: TokenPrice | undefined;
  readonly isAnchor: boolean;
}

export type PoolType = "v2" | "v3";

/**
 * What a pool holds. An anchor counts as it is. A token with a derived price counts at most as much as the anchor beside it;
 * without an anchor beside it, at most as much as the other side and as the pools that its price comes from. What has no price
 * counts nothing.
 */
export function valueLocked(
  type: PoolType,
  { balance0, balance1 }: Pick<PoolSnapshot, "balance0" | "balance1">,
  [side0, side1]: readonly [Side, Side],
): bigint {
  const [value0, value1] = [worth(balance0, side0), worth(balance1, side1)];
  if (side0.isAnchor && side1.isAnchor) return value0 + value1;
  if (side0.isAnchor || side1.isAnchor) {
    const [anchored, other] = side0.isAnchor ? [value0, value1] : [value1, value0];
    return type === "v2" ? 2n * anchored : anchored + least(other, anchored);
  }
  return 2n * least(value0, value1, side0.price?.depth ?? 0n, side1.price?.depth ?? 0n);
}

/** What was traded: of two anchors the mean of both sides, of one its own side, without any the lesser side. */
export function valueTraded(volume0: bigint, volume1: bigint, [side0, side1]: readonly [Side, Side]): bigint {
  const [value0, value1] = [worth(volume0, side0), worth(volume1, side1)];
  if (side0.isAnchor && side1.isAnchor) return (value0 + value1) / 2n;
  if (side0.isAnchor) return value0;
  if (side1.isAnchor) return value1;
  return least(value0, value1);
}

export function worth(amount: bigint, { price }: Side): bigint {
  return price === undefined || amount <= 0n ? 0n : amount * price.value;
}
