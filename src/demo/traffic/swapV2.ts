import { encodeCall } from "../../chain/abi/encodeCall.ts";
import { defined, itemAt } from "../../std/values.ts";
import type { Actor } from "../actors.ts";
import type { Intent } from "../intent.ts";
import type { DeployedPool, DeployedToken } from "../scene/addresses.ts";
import { affords, allow, replenish } from "./funds.ts";
import { chooseTrade } from "./trade.ts";
import type { Activity, TrafficContext } from "./trafficContext.ts";

export const swapV2: Activity = async (context) => {
  const pair = context.random.pick(context.scene.addresses.v2.pairs);
  const { tokenIn, tokenOut, amountIn } = await chooseTrade(context, pair);
  return tradeV2(context, context.person(), [tokenIn, tokenOut], amountIn);
};

export const hopV2: Activity = async (context) => {
  const { random, scene } = context;
  const pairs = random.chance(90) ? scene.addresses.v2.pairs.slice(0, -1) : scene.addresses.v2.pairs;
  const path = pathThrough(context, pairs);
  return tradeV2(context, context.person(), path, context.worth(itemAt(path, 0), context.sum()));
};

/** A path through two pools, starting at either end. */
export function pathThrough({ random }: TrafficContext, pools: readonly DeployedPool[]): DeployedToken[] {
  const first = random.pick(pools);
  const [start, middle] = random.chance(50) ? [first.token0, first.token1] : [first.token1, first.token0];
  const ends = pools.flatMap(({ token0, token1 }) => {
    if (token0 === middle && token1 !== start) return [token1];
    return token1 === middle && token0 !== start ? [token0] : [];
  });
  return ends.length === 0 ? [start, middle] : [start, middle, random.pick(ends)];
}

export async function tradeV2(
  context: TrafficContext,
  from: Actor,
  path: readonly DeployedToken[],
  amountIn: bigint,
  min?: bigint,
): Promise<Intent[]> {
  const [tokenIn, tokenOut] = [itemAt(path, 0), defined(path.at(-1))];
  if (!(await affords(context, from, tokenIn, amountIn))) return replenish(context, from, tokenIn);
  const { router } = context.scene.addresses.v2;
  const before = await allow(context, from, tokenIn, router, amountIn);
  const suffix = path.some(({ kind }) => kind === "deflating") ? "SupportingFeeOnTransferTokens" : "";
  const outMin = min ?? (await leastOut(context, path, amountIn));
  const rest = [path.map(({ address }) => address), from.address, context.deadline];
  const gas = 160_000 + 110_000 * path.length;
  const trade = (name: string, ...amounts: bigint[]): Intent => {
    const types = `${"uint256,".repeat(amounts.length)}address[],address,uint256`;
    return { from, to: router, gas, data: encodeCall(`swapExact${name}${suffix}(${types})`, ...amounts, ...rest) };
  };
  if (tokenIn.kind === "wrapped") return [{ ...trade("ETHForTokens", outMin), value: amountIn }];
  const name = tokenOut.kind === "wrapped" ? "TokensForETH" : "TokensForTokens";
  return [...before, trade(name, amountIn, outMin)];
}

/** Minimum output: the current quote less 2 %, and more for fee-on-transfer tokens. */
async function leastOut(
  { scene, view }: TrafficContext,
  path: readonly DeployedToken[],
  amountIn: bigint,
): Promise<bigint> {
  let amount = amountIn;
  for (let i = 1; i < path.length; i++) {
    const [from, to] = [itemAt(path, i - 1), itemAt(path, i)];
    const pair = defined(
      scene.addresses.v2.pairs.find(({ token0, token1 }) => {
        return (token0 === from && token1 === to) || (token0 === to && token1 === from);
      }),
    );
    const [reserve0, reserve1] = await view.reserves(pair);
    const [reserveIn, reserveOut] = pair.token0 === from ? [reserve0, reserve1] : [reserve1, reserve0];
    amount = (amount * 997n * reserveOut) / (reserveIn * 1000n + amount * 997n);
  }
  return (amount * (path.some(({ kind }) => kind === "deflating") ? 93n : 98n)) / 100n;
}
