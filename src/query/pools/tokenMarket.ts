import type { Hex } from "../../chain/encoding/hex.ts";
import { ChainError } from "../../chain/error.ts";
import { mapInTurns } from "../../std/async.ts";
import type { QueryContext } from "../context.ts";
import type { ExchangeView } from "../exchange/exchangeView.ts";
import type { ListedPool } from "../exchange/listedPools.ts";
import { figuresOf } from "./poolFigures.ts";

/** What pools of known exchanges did with a token, in units of 1 / SCALE dollars. */
export interface TokenMarket {
  /** In the last day. */
  readonly traded: bigint;
  readonly transactions: number;
  readonly pools: number;
}

const made = new WeakMap<ExchangeView, Map<Hex, TokenMarket>>();

/** Undefined if no pool of a known exchange has the token, or if exchanges are behind. */
export async function readTokenMarket(context: QueryContext, token: Hex): Promise<TokenMarket | undefined> {
  try {
    return await marketOf(context, token);
  } catch (error) {
    if (error instanceof ChainError && error.code === "stage_behind") return undefined;
    throw error;
  }
}

function marketOf({ exchange }: QueryContext, token: Hex): Promise<TokenMarket | undefined> {
  return exchange.read(async (_, view) => {
    const number = view.listing.tokensByHex.get(token)?.number;
    if (number === undefined || view.range === undefined) return undefined;
    const known = made.get(view) ?? new Map<Hex, TokenMarket>();
    made.set(view, known);
    const market = known.get(token) ?? (await sumUp(view, number));
    known.set(token, market);
    return market.pools === 0 ? undefined : market;
  });
}

async function sumUp(view: ExchangeView, token: number): Promise<TokenMarket> {
  const hasToken = ({ isNamed, token0, token1 }: ListedPool) =>
    isNamed && (token0.number === token || token1.number === token);
  const figures = await mapInTurns(view.listing.pools.filter(hasToken), (pool) => figuresOf(view, pool));
  return {
    traded: figures.reduce((sum, { traded }) => sum + traded, 0n),
    transactions: figures.reduce((sum, { transactions }) => sum + transactions, 0),
    pools: figures.length,
  };
}
