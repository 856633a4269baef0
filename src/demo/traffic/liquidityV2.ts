import { encodeCall } from "../../chain/abi/encodeCall.ts";
import type { Hex } from "../../chain/encoding/hex.ts";
import type { Intent } from "../intent.ts";
import type { DeployedPool } from "../scene/addresses.ts";
import { affords, allow, replenish } from "./funds.ts";
import type { Activity, TrafficContext } from "./trafficContext.ts";

/** Pairs with honest tokens. */
function pairsOf({ scene }: TrafficContext): DeployedPool[] {
  return scene.addresses.v2.pairs.filter(({ token0, token1 }) => {
    return [token0, token1].every((token) => token.kind !== "deflating" && token !== scene.addresses.copy);
  });
}

export const addV2: Activity = async (context) => {
  const { random, view, scene } = context;
  const pair = random.pick(pairsOf(context));
  const from = context.person();
  const [reserve0, reserve1] = await view.reserves(pair);
  const amount0 = context.worth(pair.token0, context.sum() * 2);
  const sides = [
    { token: pair.token0, amount: amount0 },
    { token: pair.token1, amount: (amount0 * reserve1) / reserve0 },
  ] as const;
  const before: Intent[] = [];
  for (const { token, amount } of sides) {
    if (!(await affords(context, from, token, amount))) return replenish(context, from, token);
    before.push(...(await allow(context, from, token, scene.addresses.v2.router, amount)));
  }
  const intent = { from, to: scene.addresses.v2.router, gas: 400_000 };
  const coins = sides.find(({ token }) => token.kind === "wrapped");
  const [a, b] = coins === sides[0] ? [sides[1], sides[0]] : sides;
  const min = [(a.amount * 98n) / 100n, (b.amount * 98n) / 100n];
  if (coins !== undefined) {
    const signature = "addLiquidityETH(address,uint256,uint256,uint256,address,uint256)";
    const data = encodeCall(signature, a.token.address, a.amount, ...min, from.address, context.deadline);
    return [...before, { ...intent, value: b.amount, data }];
  }
  const signature = "addLiquidity(address,address,uint256,uint256,uint256,uint256,address,uint256)";
  const tokens = [a.token.address, b.token.address];
  const amounts = [a.amount, b.amount, ...min];
  return [...before, { ...intent, data: encodeCall(signature, ...tokens, ...amounts, from.address, context.deadline) }];
};

export const removeV2: Activity = async (context) => {
  const { random, view, scene } = context;
  const pair = random.pick(pairsOf(context));
  const shares = { address: pair.address, kind: "pair" } as const;
  const from = await context.personWho(async ({ address }) => (await view.balance(shares, address)) > 0n);
  if (from === undefined) return [];
  const held = await view.balance(shares, from.address);
  const amount = random.chance(30) ? held : random.part(held, 2000, 8000);
  const { router } = scene.addresses.v2;
  const before = await allow(context, from, shares, router, amount);
  return [...before, { from, to: router, gas: 400_000, data: removal(context, pair, amount, from.address) }];
};

function removal(context: TrafficContext, { token0, token1 }: DeployedPool, amount: bigint, to: Hex): Hex {
  const end = [amount, 0n, 0n, to, context.deadline] as const;
  const other = token0.kind === "wrapped" ? token1 : token0;
  if (token0.kind === "wrapped" || token1.kind === "wrapped") {
    return encodeCall("removeLiquidityETH(address,uint256,uint256,uint256,address,uint256)", other.address, ...end);
  }
  const signature = "removeLiquidity(address,address,uint256,uint256,uint256,address,uint256)";
  return encodeCall(signature, token0.address, token1.address, ...end);
}
