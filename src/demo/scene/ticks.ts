import { sqrt } from "../../std/numbers.ts";
import { defined } from "../../std/values.ts";

/** 1.0001^(-2^i / 2) as fractions of 2^128. */
const RATIOS = [
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

const LAST_TICK = 887_272;

/** sqrtPriceX96 of token0 in token1. */
export function sqrtPrice(value0: bigint, value1: bigint): bigint {
  return sqrt((value0 << 192n) / value1);
}

/** sqrtPriceX96 at a tick, computed as the pools do. */
export function sqrtPriceAt(tick: number): bigint {
  let ratio = 1n << 128n;
  for (const [bit, factor] of RATIOS.entries()) {
    if (Math.abs(tick) & (1 << bit)) ratio = (ratio * factor) >> 128n;
  }
  if (tick > 0) ratio = ((1n << 256n) - 1n) / ratio;
  return (ratio + 0xffffffffn) >> 32n;
}

/** The highest tick whose price is not above. */
export function tickAt(sqrt: bigint): number {
  let [low, high] = [-LAST_TICK, LAST_TICK];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (sqrtPriceAt(middle) <= sqrt) low = middle;
    else high = middle - 1;
  }
  return low;
}

const SPACINGS: Readonly<Record<number, number>> = { 500: 10, 3000: 60, 10000: 200 };

/** Usable ticks around the price, clamped to the tick range. */
export function rangeAround(sqrt: bigint, fee: number, ticks = LAST_TICK): { lower: number; upper: number } {
  const spacing = defined(SPACINGS[fee]);
  const tick = tickAt(sqrt);
  const max = Math.floor(LAST_TICK / spacing);
  const lower = Math.max(-max, Math.floor((tick - ticks) / spacing));
  const upper = Math.min(max, Math.ceil((tick + ticks) / spacing));
  return { lower: lower * spacing, upper: upper * spacing };
}
