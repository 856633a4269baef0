import type { Bytes } from "../../chain/encoding/bytes.ts";
import type { Hex } from "../../chain/encoding/hex.ts";
import { toHex } from "../../chain/encoding/hex.ts";
import type { Fraction } from "../../exchange/decimal.ts";
import { unitsOf } from "../../exchange/decimal.ts";
import { defined } from "../../std/values.ts";
import type { ReadSession } from "../../store/session.ts";
import type { KnownToken } from "../../store/stages/tokens/read/tokenReads.ts";
import type { QueryContext } from "../context.ts";
import type { ExchangeSettings } from "../exchange/exchangeSettings.ts";
import type { ExchangeView } from "../exchange/exchangeView.ts";
import type { ListedPool, ListedToken } from "../exchange/listedPools.ts";
import type { ExchangeFilter, PoolFilter } from "../exchange/valuedPools.ts";
import { supplyOf } from "../tokens/token.ts";
import type { PoolFigures } from "./poolFigures.ts";
import { figuresOf } from "./poolFigures.ts";

export interface PoolToken {
  readonly listed: ListedToken;
  readonly symbol: string | null;
  readonly name: string | null;
  readonly decimals: number;
  readonly supply: bigint | null;
}

export interface PoolRecord {
  readonly pool: ListedPool;
  readonly token0: PoolToken;
  readonly token1: PoolToken;
  readonly base: PoolToken;
  readonly quote: PoolToken;
  readonly figures: PoolFigures;
  /** Fully diluted value in units of 1 / SCALE dollars. */
  readonly dilutedValue: bigint;
}

interface PoolPage {
  readonly pools: readonly PoolRecord[];
  readonly owned: ReadonlySet<number>;
  readonly total: number;
  /** Without anchors nothing has a value. */
  readonly hasAnchors: boolean;
}

interface PoolPageRequest {
  readonly page: number;
  readonly pageSize: number;
  readonly filter: PoolFilter;
  readonly exchanges: ExchangeFilter;
  readonly user: Bytes | undefined;
  /** Only pools of this token. */
  readonly token?: Bytes;
}

/** By value. */
export function listPools(
  { exchange }: QueryContext,
  { page, pageSize, filter, exchanges, user, token }: PoolPageRequest,
): Promise<PoolPage> {
  return exchange.read(async (session, view) => {
    const all = view.valued.order[exchanges][filter];
    const number = token && (view.listing.tokensByHex.get(toHex(token))?.number ?? NO_TOKEN);
    const order = number === undefined ? all : all.filter(({ pool }) => hasToken(pool, number));
    const shown = order.slice((page - 1) * pageSize, page * pageSize).map(({ pool }) => pool);
    const pools = await readPools(session, view, exchange.settings, shown);
    const { dollars, coins } = view.valued;
    const hasAnchors = dollars.anchors.size + coins.anchors.size > 0;
    return { pools, owned: await poolsOfUser(session, view, shown, user), total: order.length, hasAnchors };
  });
}

const NO_TOKEN = -1;

const hasToken = ({ token0, token1 }: ListedPool, number: number) =>
  token0.number === number || token1.number === number;

export async function readPool(
  session: ReadSession,
  view: ExchangeView,
  settings: ExchangeSettings,
  address: Hex,
): Promise<PoolRecord | undefined> {
  const pool = view.listing.poolsByHex.get(address);
  return pool && (await readPools(session, view, settings, [pool]))[0];
}

const made = new WeakMap<ExchangeView, Map<number, PoolRecord>>();

async function readPools(
  session: ReadSession,
  view: ExchangeView,
  settings: ExchangeSettings,
  pools: readonly ListedPool[],
): Promise<PoolRecord[]> {
  const records = made.get(view) ?? new Map<number, PoolRecord>();
  made.set(view, records);
  const missing = pools.filter(({ id }) => !records.has(id));
  const tokens = await readPoolTokens(
    session,
    view,
    missing.flatMap(({ token0, token1 }) => [token0, token1]),
  );
  for (const pool of missing) {
    const [token0, token1] = [defined(tokens.get(pool.token0.number)), defined(tokens.get(pool.token1.number))];
    const isFirstQuote = rankOf(settings, pool.token0) > rankOf(settings, pool.token1);
    const [base, quote] = isFirstQuote ? [token1, token0] : [token0, token1];
    const price = view.valued.dollars.prices.get(base.listed.number)?.value ?? 0n;
    const dilutedValue = price * (base.supply ?? 0n);
    records.set(pool.id, { pool, token0, token1, base, quote, figures: figuresOf(view, pool), dilutedValue });
  }
  return pools.map(({ id }) => defined(records.get(id)));
}

/** Quote preference: stable, then native coin, then any. */
function rankOf({ stables, wrappedCoin }: ExchangeSettings, { hex }: ListedToken): number {
  if (stables.includes(hex)) return 2;
  return hex === wrappedCoin ? 1 : 0;
}

/** By token number; unknown tokens are empty. */
export async function readPoolTokens(
  session: ReadSession,
  { balances }: Pick<ExchangeView, "balances">,
  tokens: readonly ListedToken[],
): Promise<Map<number, PoolToken>> {
  const ids = tokens.flatMap(({ hex }) => balances.ids.get(hex) ?? []);
  const known = await session.tokens.byId(ids);
  return new Map(
    tokens.map((listed) => {
      const id = balances.ids.get(listed.hex);
      return [listed.number, poolTokenOf(listed, id === undefined ? undefined : known.get(id))];
    }),
  );
}

function poolTokenOf(listed: ListedToken, token: KnownToken | undefined): PoolToken {
  const { reported } = listed;
  const { seen } = token ?? {};
  return {
    listed,
    symbol: seen?.symbol.text ?? reported?.symbol ?? null,
    name: seen?.name.text ?? reported?.name ?? null,
    decimals: seen?.decimals ?? reported?.decimals ?? 0,
    supply: token === undefined ? (reported?.supply ?? null) : supplyOf(token),
  };
}

/** Pools in which a user has pair shares or a position. */
export async function poolsOfUser(
  session: ReadSession,
  { balances }: ExchangeView,
  pools: readonly ListedPool[],
  user: Bytes | undefined,
): Promise<Set<number>> {
  if (user === undefined) return new Set();
  const concentrated = pools.filter(({ type }) => type === "v3").map(({ id }) => id);
  const owned = new Set(await session.exchange.poolsWithLiquidity(user, concentrated));
  const holder = await session.addresses.id(user);
  if (holder === undefined) return owned;
  const pairs = pools.filter(({ type, hex }) => type === "v2" && balances.ids.has(hex));
  const shares = await session.tokens.balances(pairs.map(({ hex }) => [holder, balances.ids.get(hex)!]));
  for (const [at, { id }] of pairs.entries()) if (shares[at]! > 0n) owned.add(id);
  return owned;
}

/** Converts a price to whole quote tokens per whole base token. */
export function inQuote({ token0, token1, base }: PoolRecord, { numerator, denominator }: Fraction): Fraction {
  const [units0, units1] = [unitsOf(token0.decimals), unitsOf(token1.decimals)];
  const whole = { numerator: numerator * units0, denominator: denominator * units1 };
  return base === token0 ? whole : { numerator: whole.denominator, denominator: whole.numerator };
}
