import { MAX_UINT256 } from "../encoding/uint.ts";

/** Arithmetic of Uniswap V3, rounded as its contracts round. */

export const MIN_TICK = -887_272;
export const MAX_TICK = 887_272;
export const MIN_SQRT_PRICE = 4_295_128_739n;
export const MAX_SQRT_PRICE = 1_461_446_703_485_210_103_287_273_052_203_988_822_378_723_970_342n;

/** sqrt(1.0001)^-(2^n), as multiples of 2^-128. */
const POWERS = [
  0xfffcb933bd6fad37aa2d162d1a594001n,
  0xfff97272373d413259a46990580e213an,
  0xfff2e50f5f656932ef12357cf3c7fdccn,
  0xffe5caca7e10e4e61c3624eaa0941cd0n,
  0xffcb9843d60f6159c9db58835c926644n,
  0xff973b41fa98c081472e6896dfb254c0n,
  0xff2ea16466c96a3843ec78b326b52861n,
  0xfe5dee046a99a2a811c461f1969c3053n,
  0xfcbe86c7900a88aedcffc83b479aa3a4n,
  0xf987a7253ac413176f2b074cf7815e54n,
  0xf3392b0822b70005940c7a398e4b70f3n,
  0xe7159475a2c29b7443b29c7fa6e889d9n,
  0xd097f3bdfd2022b8845ad8f792aa5825n,
  0xa9f746462d870fdf8a65dc1f90e061e5n,
  0x70d869a156d2a1b890bb3df62baf32f7n,
  0x31be135f97d08fd981231505542fcfa6n,
  0x9aa508b5b7a84e1c677de54f3e99bc9n,
  0x5d6af8dedb81196699c329225ee604n,
  0x2216e584f5fa1ea926041bedfe98n,
  0x48a170391f7dc42444e8fa2n,
];

const Q32 = 1n << 32n;
const Q96 = 1n << 96n;

/** sqrtPriceX96 at a tick. */
export function sqrtPriceAt(tick: number): bigint {
  const size = Math.abs(tick);
  let ratio = 1n << 128n;
  for (const [bit, power] of POWERS.entries()) if ((size & (1 << bit)) !== 0) ratio = (ratio * power) >> 128n;
  if (tick > 0) ratio = MAX_UINT256 / ratio;
  return (ratio + Q32 - 1n) / Q32;
}

/** The highest tick in [low, high] whose price is not above; `low` must not be above. */
export function tickAt(sqrtPrice: bigint, low = MIN_TICK, high = MAX_TICK): number {
  let [lowest, highest] = [low, high];
  while (lowest < highest) {
    const middle = Math.ceil((lowest + highest) / 2);
    if (sqrtPriceAt(middle) <= sqrtPrice) lowest = middle;
    else highest = middle - 1;
  }
  return lowest;
}

export const ceilDivide = (value: bigint, by: bigint): bigint => (value + by - 1n) / by;

/** Of token0 between two prices, the lower first. */
export function amount0Between(lower: bigint, upper: bigint, liquidity: bigint, isRoundedUp: boolean): bigint {
  const product = liquidity * Q96 * (upper - lower);
  return isRoundedUp ? ceilDivide(ceilDivide(product, upper), lower) : product / upper / lower;
}

/** Of token1 between two prices, the lower first. */
export function amount1Between(lower: bigint, upper: bigint, liquidity: bigint, isRoundedUp: boolean): bigint {
  const product = liquidity * (upper - lower);
  return isRoundedUp ? ceilDivide(product, Q96) : product / Q96;
}

/** The price after an input without fee. */
export function sqrtPriceAfter(sqrtPrice: bigint, liquidity: bigint, amount: bigint, isToken0: boolean): bigint {
  if (!isToken0) return sqrtPrice + (amount * Q96) / liquidity;
  if (amount === 0n) return sqrtPrice;
  const [shifted, product] = [liquidity * Q96, amount * sqrtPrice];
  // Contracts round less exactly where 256 bits do not hold the product.
  if (shifted + product > MAX_UINT256) return ceilDivide(shifted, shifted / sqrtPrice + amount);
  return ceilDivide(shifted * sqrtPrice, shifted + product);
}
