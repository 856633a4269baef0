import type { Actor } from "../../../src/demo/actors.ts";
import type { Intent } from "../../../src/demo/intent.ts";
import type { Random } from "../random.ts";
import type { ExchangeChain } from "./chain.ts";
import type { Reading } from "./reading.ts";
import type { ExchangeScene, ScenePool, SceneToken } from "./scene.ts";

/** Input of an action: the chain after the newest block. */
export interface Moment {
  readonly chain: ExchangeChain;
  readonly scene: ExchangeScene;
  readonly pools: readonly ScenePool[];
  readonly reading: Reading;
  readonly random: Random;
}

/** Answers what is to be sent; nothing where the moment has no room for it. */
export type Action = (moment: Moment) => readonly Intent[];

export function someone({ chain, random }: Moment): Actor {
  return random.pick(chain.actors);
}

export function somePool({ pools, random }: Moment, version: 2 | 3): ScenePool {
  return random.pick(pools.filter((pool) => pool.version === version));
}

/** From next to nothing to more than a pool holds, small sums most often. */
export function someDollars({ random }: Moment, max = 20_000): number {
  if (random.chance(0.03)) return 300_000;
  return Math.exp(random.fraction() * Math.log(max));
}

/** At least one smallest unit. */
export function amountOf({ unit }: SceneToken, dollars: number): bigint {
  const amount = (unit * BigInt(Math.round(dollars * 1000))) / 1000n;
  return amount > 0n ? amount : 1n;
}

export function partOf({ random }: Moment, amount: bigint): bigint {
  return random.chance(0.25) ? amount : (amount * BigInt(random.between(1, 999))) / 1000n;
}

export function direction({ random }: Moment, { token0, token1 }: ScenePool): readonly [SceneToken, SceneToken] {
  return random.chance(0.5) ? [token0, token1] : [token1, token0];
}

/** Tokens from pool to pool, each pool of a version having two that follow one another. */
export function somePath(moment: Moment, version: 2 | 3): { tokens: SceneToken[]; pools: ScenePool[] } {
  const first = somePool(moment, version);
  const [from, to] = direction(moment, first);
  const tokens = [from, to];
  const pools = [first];
  for (let hops = moment.random.between(1, 2); hops > 0; hops--) {
    const end = tokens.at(-1)!;
    const onward = moment.pools.filter(
      (pool) => pool.version === version && !pools.includes(pool) && (pool.token0 === end || pool.token1 === end),
    );
    if (onward.length === 0) break;
    const next = moment.random.pick(onward);
    pools.push(next);
    tokens.push(next.token0 === end ? next.token1 : next.token0);
  }
  return { tokens, pools };
}
