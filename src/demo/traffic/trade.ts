import { min, sqrt } from "../../std/numbers.ts";
import type { DeployedPool, DeployedToken } from "../scene/addresses.ts";
import { sqrtPrice } from "../scene/ticks.ts";
import type { TrafficContext } from "./trafficContext.ts";

export interface Trade {
  readonly tokenIn: DeployedToken;
  readonly tokenOut: DeployedToken;
  readonly amountIn: bigint;
}

/** The trade that aligns a pool with market prices, ignoring fees. */
export async function alignment(context: TrafficContext, pool: DeployedPool): Promise<Trade> {
  const { token0, token1 } = pool;
  const value0 = context.price(token0) * 10n ** BigInt(token1.decimals);
  const value1 = context.price(token1) * 10n ** BigInt(token0.decimals);
  const [in0, in1] = await (pool.version === 2 ? alignV2 : alignV3)(context, pool, value0, value1);
  return in0 > in1
    ? { tokenIn: token0, tokenOut: token1, amountIn: in0 }
    : { tokenIn: token1, tokenOut: token0, amountIn: in1 };
}

type Amounts = readonly [bigint, bigint];

async function alignV2({ view }: TrafficContext, pool: DeployedPool, value0: bigint, value1: bigint): Promise<Amounts> {
  const [reserve0, reserve1] = await view.reserves(pool);
  const product = reserve0 * reserve1;
  return [sqrt((product * value1) / value0) - reserve0, sqrt((product * value0) / value1) - reserve1];
}

async function alignV3({ view }: TrafficContext, pool: DeployedPool, value0: bigint, value1: bigint): Promise<Amounts> {
  const { sqrt, liquidity } = await view.position(pool);
  const aim = sqrtPrice(value0, value1);
  if (aim > sqrt) return [0n, (liquidity * (aim - sqrt)) >> 96n];
  return [((liquidity << 96n) * (sqrt - aim)) / (sqrt * aim), 0n];
}

/** Mostly towards market prices, of random size. */
export async function chooseTrade(context: TrafficContext, pool: DeployedPool): Promise<Trade> {
  const { random } = context;
  const aligned = await alignment(context, pool);
  const { tokenIn, amountIn } = aligned;
  const usual = context.worth(tokenIn, context.sum());
  if (random.chance(65) && amountIn > usual / 4n) {
    const amount = random.part(amountIn, 2000, 9500);
    const max = context.worth(tokenIn, context.scene.spec.purse / 4);
    return { ...aligned, amountIn: min(amount, max) };
  }
  const { token0, token1 } = pool;
  const [from, to] = random.chance(50) ? [token0, token1] : [token1, token0];
  return { tokenIn: from, tokenOut: to, amountIn: context.worth(from, context.sum()) };
}

/** Value of an amount in another token at market prices, less a percentage. */
export function atLeast(context: TrafficContext, { tokenIn, tokenOut, amountIn }: Trade, percentLess: number): bigint {
  const value = amountIn * context.price(tokenIn) * 10n ** BigInt(tokenOut.decimals);
  return (value * BigInt(100 - percentLess)) / (context.price(tokenOut) * 10n ** BigInt(tokenIn.decimals) * 100n);
}
