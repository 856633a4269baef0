import { least } from "../../std/numbers.ts";
import type { Actor } from "../actors.ts";
import type { Intent } from "../intent.ts";
import type { PlacedPool } from "../scene/addresses.ts";
import type { Act, Moment } from "./moment.ts";
import { tradeV2 } from "./swapV2.ts";
import { tradeV3 } from "./swapV3.ts";
import type { Trade } from "./trade.ts";
import { alignment } from "./trade.ts";

/** Pools to compare. */
const LOOKED_AT = 5;

/** Trades below this fraction of a balance are skipped. */
const MIN_PART = 400;

/** Aligns all pools of the two tokens that are furthest off. */
export const arbitrage: Act = async (moment) => {
  const { token0, token1 } = await furthestOff(moment);
  const from = moment.person();
  const intents: Intent[] = [];
  for (const pool of poolsOf(moment)) {
    if (pool.token0 === token0 && pool.token1 === token1) intents.push(...(await align(moment, pool, from)));
  }
  return intents;
};

function poolsOf({ scene }: Moment): PlacedPool[] {
  return [...scene.addresses.v2.pairs, ...scene.addresses.v3.pools];
}

async function furthestOff(moment: Moment): Promise<PlacedPool> {
  const pools = poolsOf(moment);
  let [furthest, most] = [moment.random.pick(pools), 0n];
  for (let looked = 0; looked < LOOKED_AT; looked++) {
    const pool = moment.random.pick(pools);
    const value = dollarsOf(moment, await alignment(moment, pool));
    if (value > most) [furthest, most] = [pool, value];
  }
  return furthest;
}

/** Millionths of a dollar. */
function dollarsOf(moment: Moment, { tokenIn, amountIn }: Trade): bigint {
  return (amountIn * moment.price(tokenIn)) / 10n ** BigInt(tokenIn.decimals);
}

async function align(moment: Moment, pool: PlacedPool, from: Actor): Promise<Intent[]> {
  const { purse } = moment.scene.spec;
  const trade = await alignment(moment, pool);
  if (trade.amountIn < moment.worth(trade.tokenIn, purse / MIN_PART)) return [];
  const amountIn = least(trade.amountIn, moment.worth(trade.tokenIn, purse / 2));
  if (pool.version === 2) return tradeV2(moment, from, [trade.tokenIn, trade.tokenOut], amountIn);
  return tradeV3(moment, from, pool, { ...trade, amountIn }, 15);
}
