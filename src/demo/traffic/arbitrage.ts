import { min } from "../../std/numbers.ts";
import type { Actor } from "../actors.ts";
import type { Intent } from "../intent.ts";
import type { DeployedPool } from "../scene/addresses.ts";
import { tradeV2 } from "./swapV2.ts";
import { tradeV3 } from "./swapV3.ts";
import type { Trade } from "./trade.ts";
import { alignment } from "./trade.ts";
import type { Activity, TrafficContext } from "./trafficContext.ts";

/** Pools to compare. */
const CANDIDATES = 5;

/** Trades below this fraction of a balance are skipped. */
const MIN_PART = 400;

/** Aligns all pools of the two tokens that are furthest off. */
export const arbitrage: Activity = async (context) => {
  const { token0, token1 } = await furthestOff(context);
  const from = context.person();
  const intents: Intent[] = [];
  for (const pool of poolsOf(context)) {
    if (pool.token0 === token0 && pool.token1 === token1) intents.push(...(await align(context, pool, from)));
  }
  return intents;
};

function poolsOf({ scene }: TrafficContext): DeployedPool[] {
  return [...scene.addresses.v2.pairs, ...scene.addresses.v3.pools];
}

async function furthestOff(context: TrafficContext): Promise<DeployedPool> {
  const pools = poolsOf(context);
  let [furthest, max] = [context.random.pick(pools), 0n];
  for (let tried = 0; tried < CANDIDATES; tried++) {
    const pool = context.random.pick(pools);
    const value = dollarsOf(context, await alignment(context, pool));
    if (value > max) [furthest, max] = [pool, value];
  }
  return furthest;
}

/** Millionths of a dollar. */
function dollarsOf(context: TrafficContext, { tokenIn, amountIn }: Trade): bigint {
  return (amountIn * context.price(tokenIn)) / 10n ** BigInt(tokenIn.decimals);
}

async function align(context: TrafficContext, pool: DeployedPool, from: Actor): Promise<Intent[]> {
  const { purse } = context.scene.spec;
  const trade = await alignment(context, pool);
  if (trade.amountIn < context.worth(trade.tokenIn, purse / MIN_PART)) return [];
  const amountIn = min(trade.amountIn, context.worth(trade.tokenIn, purse / 2));
  if (pool.version === 2) return tradeV2(context, from, [trade.tokenIn, trade.tokenOut], amountIn);
  return tradeV3(context, from, pool, { ...trade, amountIn }, 15);
}
