import type { Hex } from "../../chain/encoding/hex.ts";
import { fromHex, toHex } from "../../chain/encoding/hex.ts";
import { Turn } from "../../std/async.ts";
import type { ReadSession } from "../../store/session.ts";
import type { QueryContext } from "../context.ts";
import type { ExchangeView } from "../exchange/exchangeView.ts";
import type { ExchangeToken, TokenCatalogue } from "../exchange/tokenCatalogue.ts";
import { supplyOf } from "../tokens/token.ts";
import type { TokenMarket } from "./tokenMarket.ts";
import { marketsOf } from "./tokenMarket.ts";

/** Values in units of 1 / SCALE dollars; 0 if unknown. */
export interface TokenDetail {
  readonly token: ExchangeToken;
  /** Whether a pool of a configured or known exchange has it. */
  readonly isKnown: boolean;
  readonly supply: bigint | null;
  /** Of a smallest unit. */
  readonly price: bigint;
  readonly priceBefore: bigint;
  /** Of all pools that have it. */
  readonly market: TokenMarket;
  /** Other tokens with its symbol in any case. */
  readonly copies: number;
  /** Those of the highest value, then the oldest. */
  readonly sameSymbol: readonly SameSymbol[];
  readonly block: number;
}

export interface SameSymbol {
  readonly token: ExchangeToken;
  readonly isKnown: boolean;
  readonly locked: bigint;
}

const MAX_LISTED = 20;

/** Undefined if it is no ERC-20 token. */
export function findExchangeToken({ exchange }: QueryContext, address: Hex): Promise<TokenDetail | undefined> {
  return exchange.read(async (session, view) => {
    const catalogue = await exchange.tokens(session, view);
    const id = await session.addresses.id(fromHex(address));
    const entry = id === undefined ? undefined : catalogue.entries.get(id);
    if (entry?.token === undefined || view.range === undefined) return undefined;
    const { token, isKnown } = entry;
    const { number, pricedAs = -1 } = view.listing.tokensByHex.get(address) ?? {};
    const { dollars, before } = view.valued;
    const { copies, sameSymbol } = await findSameSymbol(view, catalogue, token);
    const { all: market } = await marketsOf(view, number);
    return {
      ...{ token, isKnown, copies, sameSymbol },
      supply: await readSupply(session, view, token),
      price: dollars.prices.get(pricedAs)?.value ?? 0n,
      priceBefore: before.dollars.prices.get(pricedAs)?.value ?? 0n,
      market,
      block: view.range.tip.number,
    };
  });
}

async function readSupply(session: ReadSession, { listing }: ExchangeView, { id, address }: ExchangeToken) {
  const known = (await session.tokens.byId([id])).get(id);
  return known === undefined ? (listing.tokensByHex.get(toHex(address))?.reported?.supply ?? null) : supplyOf(known);
}

async function findSameSymbol(view: ExchangeView, catalogue: TokenCatalogue, token: ExchangeToken) {
  const symbol = normalised(token.symbol);
  if (symbol === "") return { copies: 0, sameSymbol: [] };
  const tokens = (await bySymbol(catalogue)).get(symbol) ?? [];
  const locked = await lockedByToken(view);
  const valued = tokens
    .filter(({ id }) => id !== token.id)
    .map((one) => ({
      token: one,
      isKnown: catalogue.entries.get(one.id)?.isKnown ?? false,
      locked: locked.get(toHex(one.address)) ?? 0n,
    }));
  const sorted = valued.sort((a, b) =>
    a.locked === b.locked ? a.token.id - b.token.id : a.locked > b.locked ? -1 : 1,
  );
  return { copies: valued.length, sameSymbol: sorted.slice(0, MAX_LISTED) };
}

const normalised = (symbol: string | null) => (symbol ?? "").trim().toLowerCase();

const symbols = new WeakMap<TokenCatalogue, Promise<Map<string, ExchangeToken[]>>>();

function bySymbol(catalogue: TokenCatalogue): Promise<Map<string, ExchangeToken[]>> {
  const made = symbols.get(catalogue) ?? groupBySymbol(catalogue);
  symbols.set(catalogue, made);
  return made;
}

async function groupBySymbol({ all }: TokenCatalogue): Promise<Map<string, ExchangeToken[]>> {
  const groups = new Map<string, ExchangeToken[]>();
  const turn = new Turn();
  for (const token of all) {
    const symbol = normalised(token.symbol);
    const group = groups.get(symbol);
    if (group === undefined) groups.set(symbol, [token]);
    else group.push(token);
    await turn.yieldToEventLoop();
  }
  return groups;
}

const lockedSums = new WeakMap<ExchangeView, Promise<Map<Hex, bigint>>>();

function lockedByToken(view: ExchangeView): Promise<Map<Hex, bigint>> {
  const made = lockedSums.get(view) ?? sumLocked(view);
  lockedSums.set(view, made);
  return made;
}

async function sumLocked({ valued }: ExchangeView): Promise<Map<Hex, bigint>> {
  const sums = new Map<Hex, bigint>();
  const turn = new Turn();
  for (const { pool, locked } of valued.order.all.all) {
    // Sorted by value: the others have none.
    if (locked === 0n) break;
    for (const { hex } of [pool.token0, pool.token1]) sums.set(hex, (sums.get(hex) ?? 0n) + locked);
    await turn.yieldToEventLoop();
  }
  return sums;
}
