import type { Hex } from "../../chain/encoding/hex.ts";
import { Turn } from "../../std/async.ts";
import type { PoolState } from "../../store/stages/exchange/poolState.ts";
import { NO_STATE } from "../../store/stages/exchange/poolState.ts";
import type { ExchangeSettings } from "../exchange/exchangeSettings.ts";
import type { ExchangeView } from "../exchange/exchangeView.ts";
import { eventBalances } from "../exchange/heldAmounts.ts";
import type { ListedPool, ListedToken } from "../exchange/listedPools.ts";
import { periodFigures } from "../pools/poolFigures.ts";

export type SubgraphKind = "v2" | "v3";

/** Sums since the first block. Values in units of 1 / SCALE dollars at the prices of now; 0 if unknown. */
interface Totals {
  readonly locked: bigint;
  readonly traded: bigint;
  readonly fees: bigint;
  readonly transactions: number;
}

export interface SubgraphPool extends Totals {
  readonly pool: ListedPool;
  readonly state: PoolState;
  /** What the pool holds by its events. */
  readonly held0: bigint;
  readonly held1: bigint;
}

/** Sums over pools. */
export interface SubgraphToken extends Totals {
  readonly token: ListedToken;
  /** Of a smallest unit. */
  readonly price: bigint | undefined;
  readonly held: bigint;
  readonly volume: bigint;
  readonly pools: number;
}

export interface SubgraphFactory extends Totals {
  readonly hex: Hex;
  readonly pools: number;
}

/** Pools of configured and known exchanges of one type, and what they add up to. */
export interface SubgraphMarket {
  readonly pools: ReadonlyMap<Hex, SubgraphPool>;
  readonly poolsById: ReadonlyMap<number, SubgraphPool>;
  readonly tokens: ReadonlyMap<Hex, SubgraphToken>;
  readonly factories: ReadonlyMap<Hex, SubgraphFactory>;
  /** Of a wei, in units of 1 / SCALE dollars. */
  readonly coinPrice: bigint | undefined;
}

const made = new WeakMap<ExchangeView, Map<SubgraphKind, Promise<SubgraphMarket>>>();

/** Made once per view. */
export function marketOf(view: ExchangeView, kind: SubgraphKind, settings: ExchangeSettings): Promise<SubgraphMarket> {
  const known = made.get(view) ?? new Map<SubgraphKind, Promise<SubgraphMarket>>();
  made.set(view, known);
  const market = known.get(kind) ?? makeMarket(view, kind, settings);
  known.set(kind, market);
  return market;
}

async function makeMarket(
  view: ExchangeView,
  kind: SubgraphKind,
  { wrappedCoin }: ExchangeSettings,
): Promise<SubgraphMarket> {
  const { prices } = view.valued.dollars;
  const pools = new Map<Hex, SubgraphPool>();
  const poolsById = new Map<number, SubgraphPool>();
  const tokens = new Map<Hex, SubgraphToken>();
  const factories = new Map<Hex, SubgraphFactory>();
  const turn = new Turn();
  for (const { pool, locked } of view.valued.order.known[kind]) {
    const state = view.now.states.get(pool.id) ?? NO_STATE;
    const { traded, fees, transactions } = periodFigures(view, pool);
    const { balance0: held0, balance1: held1 } = eventBalances(pool, state);
    const totals = { locked, traded, fees, transactions };
    const found = { pool, state, held0, held1, ...totals };
    pools.set(pool.hex, found);
    poolsById.set(pool.id, found);
    const sides = [
      [pool.token0, held0, state.volume0],
      [pool.token1, held1, state.volume1],
    ] as const;
    for (const [token, held, volume] of sides) {
      const price = prices.get(token.pricedAs)?.value;
      const before = tokens.get(token.hex) ?? { token, price, held: 0n, volume: 0n, ...NOTHING };
      const sum = { token, price, held: before.held + held, volume: before.volume + volume, ...add(before, totals) };
      tokens.set(token.hex, sum);
    }
    const factory = factories.get(pool.factory) ?? NOTHING;
    factories.set(pool.factory, { hex: pool.factory, ...add(factory, totals) });
    await turn.yieldToEventLoop();
  }
  const coin = wrappedCoin && view.listing.tokensByHex.get(wrappedCoin)?.pricedAs;
  const coinPrice = coin === undefined ? undefined : prices.get(coin)?.value;
  return { pools, poolsById, tokens, factories, coinPrice };
}

const NOTHING = { locked: 0n, traded: 0n, fees: 0n, transactions: 0, pools: 0 };

function add(sum: Totals & { readonly pools: number }, { locked, traded, fees, transactions }: Totals) {
  return {
    pools: sum.pools + 1,
    locked: sum.locked + locked,
    traded: sum.traded + traded,
    fees: sum.fees + fees,
    transactions: sum.transactions + transactions,
  };
}
