import type { Log } from "../../chain/block/receipt.ts";
import type { Hex } from "../../chain/encoding/hex.ts";
import { toHex } from "../../chain/encoding/hex.ts";
import {
  isSolidly,
  readAmounts,
  readBurnV3,
  readMintV3,
  readSwapV2,
  readSwapV3,
} from "../../chain/exchange/exchangeFields.ts";
import type { ExchangeEvent } from "../../chain/exchange/exchangeLog.ts";
import { exchangeEventOf } from "../../chain/exchange/exchangeLog.ts";
import type { ActionPool, Asset, LiquidityAction, SwapAction } from "./action.ts";
import type { MovedToken } from "./tokenFlows.ts";
import { TokenFlows } from "./tokenFlows.ts";

/** Events of pools that move tokens. */
const POOL_EVENTS: Partial<Readonly<Record<ExchangeEvent, readonly ActionPool["type"][]>>> = {
  swapV2: ["v2", "volatile", "stable"],
  mintV2: ["v2", "volatile", "stable"],
  burnV2: ["v2", "volatile", "stable"],
  swapSolidly: ["volatile", "stable"],
  burnSolidly: ["volatile", "stable"],
  swapV3: ["v3", "algebra"],
  swapPancake: ["v3"],
  swapAlgebra: ["algebra"],
  mintV3: ["v3", "algebra"],
  burnV3: ["v3", "algebra"],
  burnAlgebra: ["algebra"],
  collect: ["v3", "algebra"],
};

interface PoolEvent {
  readonly event: ExchangeEvent;
  readonly log: Log;
}

export function poolEventsIn(logs: readonly Log[]): PoolEvent[] {
  const events: PoolEvent[] = [];
  for (const log of logs) {
    const event = exchangeEventOf(log);
    if (event !== undefined && POOL_EVENTS[event] !== undefined) events.push({ event, log });
  }
  return events;
}

type Pair = readonly [amount0: bigint, amount1: bigint];

interface PoolChange {
  readonly pool: ActionPool;
  amounts: Pair;
}

type PoolChanges = Map<Hex, PoolChange>;

export interface ExchangeActions {
  readonly swap: SwapAction | undefined;
  readonly liquidity: readonly LiquidityAction[];
  /** Pools of Solidly with tokens that they took and did not pay: what they pass on of these is their fee. */
  readonly feeKeys: ReadonlySet<string>;
}

const NO_ACTIONS: ExchangeActions = { swap: undefined, liquidity: [], feeKeys: new Set() };

export const feeKey = (pool: Hex, token: Hex): string => `${pool} ${token}`;

/** Swaps and changes of liquidity by known pools, as far as the logs of their tokens confirm them. */
export function exchangeActions(
  logs: readonly Log[],
  poolAt: (address: Hex) => ActionPool | undefined,
  transfers: readonly MovedToken[],
): ExchangeActions {
  const events = poolEventsIn(logs);
  if (events.length === 0) return NO_ACTIONS;
  const flows = new TokenFlows(transfers);
  const kinds = {
    swap: new Map(),
    add: new Map(),
    remove: new Map(),
    burnt: new Map(),
    collected: new Map(),
  } as Record<"swap" | "add" | "remove" | "burnt" | "collected", PoolChanges>;
  const [taken, paid] = [new Set<string>(), new Set<string>()];
  for (const { event, log } of events) {
    const hex = toHex(log.address);
    const pool = poolAt(hex);
    if (pool === undefined || !POOL_EVENTS[event]?.includes(pool.type)) continue;
    const [kind, claimed] = changeOf(event, log);
    if (kind === "swap" && !isSwap(claimed)) continue;
    const amounts = kind === "burnt" ? claimed : confirmed(hex, pool, claimed, flows);
    if (amounts === undefined || (kind === "swap" && !isSwap(amounts))) continue;
    if (kind === "swap" && isSolidly(pool.type)) {
      for (const [at, { address }] of [pool.token0, pool.token1].entries())
        (claimed[at]! > 0n ? taken : paid).add(feeKey(hex, toHex(address)));
    }
    addChange(kinds[kind], hex, pool, amounts);
  }
  return { swap: swapOf(kinds.swap), liquidity: liquidityOf(kinds), feeKeys: taken.difference(paid) };
}

/**
 * Amounts of this transaction. Pairs count tokens that were sent to them before as paid now, so of those of known exchanges
 * the part that moved is believed; a claim of any other pool is believed as a whole or not at all.
 */
function confirmed(hex: Hex, pool: ActionPool, claimed: Pair, flows: TokenFlows): Pair | undefined {
  const [token0, token1] = [toHex(pool.token0.address), toHex(pool.token1.address)];
  if (pool.exchange !== undefined) return [flows.take(hex, token0, claimed[0]), flows.take(hex, token1, claimed[1])];
  const claims = [
    [token0, claimed[0]],
    [token1, claimed[1]],
  ] as const;
  return flows.confirm(hex, claims) ? claimed : undefined;
}

type ChangeKind = "swap" | "add" | "remove" | "burnt" | "collected";

/** Positive amounts are into the pool. V3 pools pay what was burnt when it is collected. */
function changeOf(event: ExchangeEvent, log: Log): [ChangeKind, Pair] {
  switch (event) {
    case "swapV2":
    case "swapSolidly": {
      const { amount0, amount1 } = readSwapV2(log);
      return ["swap", [amount0, amount1]];
    }
    case "mintV2":
      return ["add", readAmounts(log)];
    case "burnV2":
    case "burnSolidly":
      return ["remove", negated(readAmounts(log))];
    case "mintV3": {
      const { amount0, amount1 } = readMintV3(log);
      return ["add", [amount0, amount1]];
    }
    case "burnV3":
    case "burnAlgebra": {
      const { amount0, amount1 } = readBurnV3(log);
      return ["burnt", [-amount0, -amount1]];
    }
    case "collect":
      return ["collected", negated(readAmounts(log, 1))];
    default: {
      const { amount0, amount1 } = readSwapV3(log);
      return ["swap", [amount0, amount1]];
    }
  }
}

const negated = ([amount0, amount1]: Pair): Pair => [-amount0, -amount1];
const isSwap = ([amount0, amount1]: Pair) => (amount0 > 0n && amount1 < 0n) || (amount0 < 0n && amount1 > 0n);

function addChange(changes: PoolChanges, hex: Hex, pool: ActionPool, [amount0, amount1]: Pair): void {
  const known = changes.get(hex);
  if (known === undefined) changes.set(hex, { pool, amounts: [amount0, amount1] });
  else known.amounts = [known.amounts[0] + amount0, known.amounts[1] + amount1];
}

/** Amounts that one pool pays to the next cancel out. */
function swapOf(swaps: PoolChanges): SwapAction | undefined {
  if (swaps.size === 0) return undefined;
  const nets = new Map<Hex, Asset>();
  for (const { pool, amounts } of swaps.values()) {
    for (const [token, amount] of [
      [pool.token0, amounts[0]],
      [pool.token1, amounts[1]],
    ] as const) {
      const hex = toHex(token.address);
      nets.set(hex, { token, amount: (nets.get(hex)?.amount ?? 0n) + amount });
    }
  }
  const assets = [...nets.values()];
  return {
    type: "swap",
    given: assets.filter(({ amount }) => amount > 0n),
    received: assets.filter(({ amount }) => amount < 0n).map((asset) => ({ ...asset, amount: -asset.amount })),
    pools: [...swaps.values()].map(({ pool }) => pool),
  };
}

function liquidityOf(kinds: Readonly<Record<ChangeKind, PoolChanges>>): LiquidityAction[] {
  const { add, remove, burnt, collected } = kinds;
  const actions: LiquidityAction[] = [];
  const note = (type: LiquidityAction["type"], pool: ActionPool, amounts: Pair) => {
    const assets = assetsOf(pool, amounts);
    if (assets.length > 0) actions.push({ type, pool, assets });
  };
  for (const { pool, amounts } of add.values()) note("add_liquidity", pool, amounts);
  for (const { pool, amounts } of remove.values()) note("remove_liquidity", pool, amounts);
  for (const [hex, { pool, amounts }] of burnt) {
    const paid = collected.get(hex)?.amounts ?? NOTHING;
    // No token confirms uncollected amounts, so only pools of known exchanges are believed.
    if (pool.exchange !== undefined || covers(paid, amounts)) note("remove_liquidity", pool, amounts);
  }
  for (const [hex, { pool, amounts }] of collected) {
    const removed = burnt.get(hex)?.amounts ?? NOTHING;
    if (covers(amounts, removed)) note("collect", pool, [amounts[0] - removed[0], amounts[1] - removed[1]]);
  }
  return actions;
}

const NOTHING: Pair = [0n, 0n];

/** Of payments, which are negative. */
const covers = (paid: Pair, claimed: Pair) => paid[0] <= claimed[0] && paid[1] <= claimed[1];

function assetsOf({ token0, token1 }: ActionPool, [amount0, amount1]: Pair): Asset[] {
  const assets = [
    { token: token0, amount: amount0 < 0n ? -amount0 : amount0 },
    { token: token1, amount: amount1 < 0n ? -amount1 : amount1 },
  ];
  return assets.filter(({ amount }) => amount > 0n);
}
