import { smaller } from "../bigints.ts";
import type { Intent } from "../intent.ts";
import type { PlacedPool } from "../scene/addresses.ts";
import type { Act, Moment } from "./moment.ts";
import { tradeV2 } from "./swapV2.ts";
import { tradeV3 } from "./swapV3.ts";
import { alignment } from "./trade.ts";

/** A difference of less than so many dollars is left alone. */
const LEAST_PARTS_OF_PURSE = 400;

/** Somebody brings all pools of two tokens to one price, as far as it pays. */
export const arbitrage: Act = async (moment) => {
  const { v2, v3 } = moment.scene.addresses;
  const { token0, token1 } = moment.random.pick([...v2.pairs, ...v3.pools]);
  const pools = [...v2.pairs, ...v3.pools].filter((pool) => pool.token0 === token0 && pool.token1 === token1);
  const from = moment.person();
  const intents: Intent[] = [];
  for (const pool of pools) intents.push(...(await align(moment, pool, from)));
  return intents;
};

async function align(moment: Moment, pool: PlacedPool, from: Parameters<typeof tradeV2>[1]): Promise<Intent[]> {
  const { purse } = moment.scene.spec;
  const trade = await alignment(moment, pool);
  const least = moment.worth(trade.tokenIn, purse / LEAST_PARTS_OF_PURSE);
  if (trade.amountIn < least) return [];
  const most = moment.worth(trade.tokenIn, purse / 2);
  const amountIn = smaller(trade.amountIn, most);
  if (pool.version === 2) return tradeV2(moment, from, [trade.tokenIn, trade.tokenOut], amountIn);
  return tradeV3(moment, from, pool, { ...trade, amountIn }, 15);
}
