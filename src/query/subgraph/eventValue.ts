import { valueTraded, worth } from "../../exchange/value.ts";
import { sidesIn } from "../exchange/valuedPools.ts";
import type { SubgraphEvent } from "./subgraphEvents.ts";
import type { SubgraphState } from "./subgraphState.ts";

const size = (amount: bigint): bigint => (amount < 0n ? -amount : amount);

/** What it moved at the prices of now, in units of 1 / SCALE dollars: a swap as volumes count, others by both tokens. */
export function eventValue({ view }: SubgraphState, { pool: { pool }, change }: SubgraphEvent): bigint {
  const sides = sidesIn(view.valued.dollars, pool);
  const [moved0, moved1] = [size(change.amount0), size(change.amount1)];
  if (change.type === "swap") return valueTraded(moved0, moved1, sides);
  return worth(moved0, sides[0]) + worth(moved1, sides[1]);
}
