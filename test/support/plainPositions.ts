type Pair = readonly [bigint, bigint];

/** What a position got and gave of all time. */
export interface PlainFlows {
  added: Pair;
  removed: Pair;
  collected: Pair;
  events: number;
  handedOn: number;
}

/** A log of a pool about liquidity, until a token of its owner claims it. */
export interface PlainChange {
  readonly pool: string;
  readonly owner: string;
  readonly ticks: readonly [bigint, bigint];
  readonly liquidity: bigint;
  readonly amounts: Pair;
}

export const noFlows = (): PlainFlows => ({
  ...{ added: [0n, 0n], removed: [0n, 0n], collected: [0n, 0n], events: 0, handedOn: 0 },
});

export function flow(flows: PlainFlows, kind: "added" | "removed" | "collected", [amount0, amount1]: Pair): void {
  flows[kind] = [flows[kind][0] + amount0, flows[kind][1] + amount1];
  flows.events++;
}

interface Placed {
  readonly pool: string;
  readonly ticks: readonly [bigint, bigint];
}

export const isOf = (position: Placed, { pool, ticks }: Placed): boolean =>
  position.pool === pool && position.ticks[0] === ticks[0] && position.ticks[1] === ticks[1];

/** The last such change of a manager, which only one token has. */
export function claim(
  changes: PlainChange[],
  position: Placed,
  manager: string,
  liquidity?: bigint,
): PlainChange | undefined {
  const own = changes.findLastIndex(
    (one) => one.owner === manager && isOf(position, one) && (liquidity === undefined || one.liquidity === liquidity),
  );
  return own < 0 ? undefined : changes.splice(own, 1)[0];
}
