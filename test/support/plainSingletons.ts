import { fromHex, toHex } from "../../src/chain/encoding/hex.ts";
import { keccak256 } from "../../src/chain/hashing/keccak.ts";
import type { PlainPool } from "./plainPools.ts";

const Q96 = 2n ** 96n;
const MILLION = 1_000_000n;

const ceil = (value: bigint, by: bigint) => -(-value / by) + (value % by > 0n ? 1n : 0n);
const floor = (value: bigint, by: bigint) => value / by;
const size = (value: bigint) => (value < 0n ? -value : value);

/** sqrt(1.0001^tick) in units of 2^-96 as the contracts approximate it, which is what all of this follows from. */
function rootAt(tick: bigint): bigint {
  const powers = [
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
  let ratio = 2n ** 128n;
  for (const [bit, power] of powers.entries())
    if ((size(tick) >> BigInt(bit)) % 2n === 1n) ratio = (ratio * power) >> 128n;
  if (tick > 0n) ratio = (2n ** 256n - 1n) / ratio;
  return ceil(ratio, 2n ** 32n);
}

/** What liquidity between two ticks is made of at a price: rounded up where it comes, down where it goes. */
export function principal(
  [lower, upper]: readonly [bigint, bigint],
  change: bigint,
  { tick, sqrtPrice }: Pick<PlainPool, "tick" | "sqrtPrice">,
): [bigint, bigint] {
  const [low, high] = [rootAt(lower), rootAt(upper)];
  const at = tick < lower ? low : tick < upper ? sqrtPrice : high;
  const [liquidity, sign] = change < 0n ? [-change, -1n] : [change, 1n];
  const divide = sign > 0n ? ceil : floor;
  const amount0 = at > 0n && at < high ? divide(divide(liquidity * Q96 * (high - at), high), at) : 0n;
  const amount1 = at > low ? divide(liquidity * (at - low), Q96) : 0n;
  return [sign * amount0, sign * amount1];
}

export const feeOn = (input: bigint, fee: bigint): bigint => (input > 0n ? ceil(input * fee, MILLION) : 0n);

/** A pool id is the hash of its key: tokens, fee, spacing and hooks. */
export function isIdOf(id: string, words: readonly bigint[]): boolean {
  const encoded = words.map((word) => BigInt.asUintN(256, word).toString(16).padStart(64, "0")).join("");
  return toHex(keccak256(fromHex(`0x${encoded}`))) === id;
}
