/** Borders of the positions of a pool, ascending. */
export interface TickMap {
  readonly ticks: readonly number[];
  /** Liquidity that enters where the price rises over the tick. */
  readonly net: readonly bigint[];
}

export interface RangedLiquidity {
  readonly tickLower: number;
  readonly tickUpper: number;
  readonly liquidity: bigint;
}

export function tickMapOf(positions: Iterable<RangedLiquidity>): TickMap {
  const net = new Map<number, bigint>();
  const add = (tick: number, by: bigint) => net.set(tick, (net.get(tick) ?? 0n) + by);
  for (const { tickLower, tickUpper, liquidity } of positions) {
    if (liquidity <= 0n) continue;
    add(tickLower, liquidity);
    add(tickUpper, -liquidity);
  }
  const ticks = [...net.keys()].sort((one, other) => one - other);
  return { ticks, net: ticks.map((tick) => net.get(tick)!) };
}

/** Index of the first border above a tick. */
function firstAbove(ticks: readonly number[], tick: number): number {
  let [low, high] = [0, ticks.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ticks[middle]! > tick) high = middle;
    else low = middle + 1;
  }
  return low;
}

interface NextTick {
  readonly tick: number;
  /** Liquidity that enters upwards; undefined if the tick is no border. */
  readonly net: bigint | undefined;
}

/** Ticks that the contract's bitmap has in a word. A swap stops at its end, which rounds. */
const WORD = 256;

/** The next border in the direction of a swap, however far it is; undefined if there is none. */
export function nextBorder({ ticks, net }: TickMap, tick: number, isDown: boolean): NextTick | undefined {
  const index = isDown ? firstAbove(ticks, tick) - 1 : firstAbove(ticks, tick);
  const border = ticks[index];
  return border === undefined ? undefined : { tick: border, net: net[index]! };
}

/** The next border in the direction of a swap, or the end of its word. */
export function nextTick(borders: TickMap, tick: number, spacing: number, isDown: boolean): NextTick {
  const at = Math.floor(tick / spacing) + (isDown ? 0 : 1);
  const first = Math.floor(at / WORD) * WORD;
  const end = (isDown ? first : first + WORD - 1) * spacing;
  const border = nextBorder(borders, tick, isDown);
  const isInWord = border !== undefined && (isDown ? border.tick >= end : border.tick <= end);
  return isInWord ? border : { tick: end, net: undefined };
}
