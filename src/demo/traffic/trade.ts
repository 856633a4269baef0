import { least, root } from "../../std/numbers.ts";
import type { PlacedPool, PlacedToken } from "../scene/addresses.ts";
import { sqrtPrice } from "../scene/ticks.ts";
import type { Moment } from "./moment.ts";

export interface Trade {
  readonly tokenIn: PlacedToken;
  readonly tokenOut: PlacedToken;
  readonly amountIn: bigint;
}

/** The trade that aligns a pool with market prices, ignoring fees. */
export async function alignment(moment: Moment, pool: PlacedPool): Promise<Trade> {
  const { token0, token1 } = pool;
  const value0 = moment.price(token0) * 10n ** BigInt(token1.decimals);
  const value1 = moment.price(token1) * 10n ** BigInt(token0.decimals);
  const [in0, in1] = await (pool.version === 2 ? alignV2 : alignV3)(moment, pool, value0, value1);
  return in0 > in1
    ? { tokenIn: token0, tokenOut: token1, amountIn: in0 }
    : { tokenIn: token1, tokenOut: token0, amountIn: in1 };
}

type Amounts = readonly [bigint, bigint];

async function alignV2({ view }: Moment, pool: PlacedPool, value0: bigint, value1: bigint): Promise<Amounts> {
  const [reserve0, reserve1] = await view.reserves(pool);
  const product = reserve0 * reserve1;
  return [root((product * value1) / value0) - reserve0, root((product * value0) / value1) - reserve1];
}

async function alignV3({ view }: Moment, pool: PlacedPool, value0: bigint, value1: bigint): Promise<Amounts> {
  const { sqrt, liquidity } = await view.position(pool);
  const aim = sqrtPrice(value0, value1);
  if (aim > sqrt) return [0n, (liquidity * (aim - sqrt)) >> 96n];
  return [((liquidity << 96n) * (sqrt - aim)) / (sqrt * aim), 0n];
}

/** Mostly towards market prices, of random size. */
export async function chooseTrade(moment: Moment, pool: PlacedPool): Promise<Trade> {
  const { random } = moment;
  const aligned = await alignment(moment, pool);
  const { tokenIn, amountIn } = aligned;
  const usual = moment.worth(tokenIn, moment.sum());
  if (random.chance(65) && amountIn > usual / 4n) {
    const amount = random.part(amountIn, 2000, 9500);
    const most = moment.worth(tokenIn, moment.scene.spec.purse / 4);
    return { ...aligned, amountIn: least(amount, most) };
  }
  const { token0, token1 } = pool;
  const [from, to] = random.chance(50) ? [token0, token1] : [token1, token0];
  return { tokenIn: from, tokenOut: to, amountIn: moment.worth(from, moment.sum()) };
}

/** Value of an amount in another token at market prices, less a percentage. */
export function atLeast(moment: Moment, { tokenIn, tokenOut, amountIn }: Trade, percentLess: number): bigint {
  const value = amountIn * moment.price(tokenIn) * 10n ** BigInt(tokenOut.decimals);
  return (value * BigInt(100 - percentLess)) / (moment.price(tokenOut) * 10n ** BigInt(tokenIn.decimals) * 100n);
}
