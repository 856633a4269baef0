import { encodeCall } from "../../chain/abi/encodeCall.ts";
import type { Hex } from "../../chain/encoding/hex.ts";
import { itemAt } from "../../std/values.ts";
import type { Intent } from "../intent.ts";
import { MINT } from "../scene/exchangeV3.ts";
import { rangeAround } from "../scene/ticks.ts";
import { affords, allow, replenish } from "./funds.ts";
import type { Activity } from "./trafficContext.ts";

const MAX_UINT128 = 2n ** 128n - 1n;

export const addV3: Activity = async (context) => {
  const { random, view, scene } = context;
  const { pools, positions } = scene.addresses.v3;
  const pool = random.pick(pools);
  const from = context.person();
  const { sqrt } = await view.position(pool);
  const { lower, upper } = rangeAround(sqrt, pool.fee, random.between(800, 6000));
  const dollars = context.sum() * 2;
  const amounts = [context.worth(pool.token0, dollars), context.worth(pool.token1, dollars)] as const;
  const before: Intent[] = [];
  let value = 0n;
  for (const [i, token] of [pool.token0, pool.token1].entries()) {
    if (!(await affords(context, from, token, itemAt(amounts, i)))) return replenish(context, from, token);
    before.push(...(await allow(context, from, token, positions, itemAt(amounts, i))));
    if (token.kind === "wrapped") value = itemAt(amounts, i);
  }
  const tokens = [pool.token0.address, pool.token1.address, pool.fee];
  const mint = encodeCall(MINT, [...tokens, lower, upper, ...amounts, 0n, 0n, from.address, context.deadline]);
  const data = value === 0n ? mint : encodeCall("multicall(bytes[])", [mint, encodeCall("refundETH()")]);
  return [...before, { from, to: positions, gas: 800_000, value, data }];
};

export const removeV3: Activity = async (context) => {
  const { random, view, scene } = context;
  const { positions } = scene.addresses.v3;
  const countOf = (owner: Hex) => view.number(positions, "balanceOf(address)", owner);
  const from = await context.personWho(async ({ address }) => (await countOf(address)) > 0n);
  if (from === undefined) return [];
  const count = await countOf(from.address);
  const index = random.below(Number(count));
  const id = await view.number(positions, "tokenOfOwnerByIndex(address,uint256)", from.address, index);
  const liquidity = itemAt(await view.call(positions, "positions(uint256)", id), 7);
  const taken = random.chance(30) ? liquidity : random.part(liquidity, 1000, 7000);
  const collect = encodeCall("collect((uint256,address,uint128,uint128))", [
    id,
    from.address,
    MAX_UINT128,
    MAX_UINT128,
  ]);
  const intent = { from, to: positions, gas: 600_000 };
  if (taken === 0n || random.chance(25)) return [{ ...intent, data: collect }];
  const decrease = "decreaseLiquidity((uint256,uint128,uint256,uint256,uint256))";
  const calls = [encodeCall(decrease, [id, taken, 0n, 0n, context.deadline]), collect];
  return [{ ...intent, data: encodeCall("multicall(bytes[])", calls) }];
};
