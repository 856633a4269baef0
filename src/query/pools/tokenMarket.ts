import type { Hex } from "../../chain/encoding/hex.ts";
import { ChainError } from "../../chain/error.ts";
import { Turn } from "../../std/async.ts";
import type { QueryContext } from "../context.ts";
import type { ExchangeView } from "../exchange/exchangeView.ts";
import { figuresOf } from "./poolFigures.ts";

/** Sums over pools that have a token, in units of 1 / SCALE dollars. */
export interface TokenMarket {
  readonly pools: number;
  readonly locked: bigint;
  /** In the last day. */
  readonly traded: bigint;
  readonly transactions: number;
}

export interface TokenMarkets {
  readonly all: TokenMarket;
  /** Of pools of configured and known exchanges. */
  readonly known: TokenMarket;
}

const NONE: TokenMarket = { pools: 0, locked: 0n, traded: 0n, transactions: 0 };

const made = new WeakMap<ExchangeView, Map<number, TokenMarkets>>();

/** By the number of the token in the listing, which has those of pools. */
export async function marketsOf(view: ExchangeView, token: number | undefined): Promise<TokenMarkets> {
  if (token === undefined) return { all: NONE, known: NONE };
  const summed = made.get(view) ?? new Map<number, TokenMarkets>();
  made.set(view, summed);
  const markets = summed.get(token) ?? (await sumUp(view, token));
  summed.set(token, markets);
  return markets;
}

async function sumUp(view: ExchangeView, token: number): Promise<TokenMarkets> {
  let [all, known] = [NONE, NONE];
  const turn = new Turn();
  for (const { pool, locked } of view.valued.order.all.all) {
    if (pool.token0.number !== token && pool.token1.number !== token) continue;
    const { traded, transactions } = figuresOf(view, pool);
    const figures = { locked, traded, transactions };
    all = add(all, figures);
    if (pool.isNamed) known = add(known, figures);
    await turn.yieldToEventLoop();
  }
  return { all, known };
}

function add(sum: TokenMarket, { locked, traded, transactions }: Omit<TokenMarket, "pools">): TokenMarket {
  return {
    pools: sum.pools + 1,
    locked: sum.locked + locked,
    traded: sum.traded + traded,
    transactions: sum.transactions + transactions,
  };
}

/** Of known exchanges; undefined if none has the token, or if exchanges are behind. */
export async function readTokenMarket({ exchange }: QueryContext, token: Hex): Promise<TokenMarket | undefined> {
  try {
    return await exchange.read(async (_, view) => {
      const { known } = await marketsOf(view, view.listing.tokensByHex.get(token)?.number);
      return known.pools === 0 ? undefined : known;
    });
  } catch (error) {
    if (error instanceof ChainError && error.code === "stage_behind") return undefined;
    throw error;
  }
}
