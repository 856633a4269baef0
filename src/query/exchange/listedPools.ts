import type { Hex } from "../../chain/encoding/hex.ts";
import { toHex } from "../../chain/encoding/hex.ts";
import { partsOfKey } from "../../chain/exchange/singleton.ts";
import { mapInTurns, Turn } from "../../std/async.ts";
import type { ReadSession } from "../../store/session.ts";
import type { PoolCreation } from "../../store/stages/exchange/exchangeRows.ts";
import type { ChosenPool, ChosenToken, PoolFacts } from "./choosePools.ts";
import { choosePools } from "./choosePools.ts";
import type { ExchangeSettings } from "./exchangeSettings.ts";

export interface ListedToken extends ChosenToken {
  readonly number: number;
  /** The number of the token that it is priced as: the native coin as the wrapped one. */
  readonly pricedAs: number;
  readonly hex: Hex;
  readonly since: number;
}

/** A pool of a configured or confirmed factory. */
export interface ListedPool extends PoolFacts {
  readonly token0: ListedToken;
  readonly token1: ListedToken;
}

export interface Listing {
  readonly pools: readonly ListedPool[];
  readonly poolsByHex: ReadonlyMap<Hex, ListedPool>;
  readonly ids: ReadonlySet<number>;
  readonly tokensByHex: ReadonlyMap<Hex, ListedToken>;
  readonly tokensByNumber: ReadonlyMap<number, ListedToken>;
  readonly position: number;
}

export const NO_POOLS: Listing = {
  pools: [],
  poolsByHex: new Map(),
  ids: new Set(),
  tokensByHex: new Map(),
  tokensByNumber: new Map(),
  position: -1,
};

const BATCH_SIZE = 1000;

interface ChangedPools {
  readonly observed: readonly number[];
  readonly used: Iterable<number>;
}

/**
 * Adds new creations and re-evaluates observed or used ones: a pool may be confirmed long after its creation, and its exchange
 * be known by its code after that.
 */
export async function readListing(
  session: ReadSession,
  before: Listing,
  settings: ExchangeSettings,
  { observed, used }: ChangedPools,
): Promise<Listing> {
  const { created, position } = await readCreated(session, before.position);
  const unnamed = unnamedAmong(before, observed);
  const open = [...new Set([...observed, ...used])].filter((pool) => !before.ids.has(pool) || unnamed.has(pool));
  const late = open.length === 0 ? [] : [...(await session.exchange.creationsOf(open)).values()].flat();
  const claims = [...created.filter(({ pool }) => !before.ids.has(pool)), ...late];
  const chosen = await choosePools(session, claims, settings);
  const fresh = chosen.filter(({ id, isNamed }) => isNamed || !before.ids.has(id));
  if (fresh.length === 0) return position === before.position ? before : { ...before, position };
  const replaced = new Set(fresh.map(({ id }) => id));
  const kept = before.pools.filter(({ id }) => !replaced.has(id));
  const known = kept.map(({ token0, token1, ...pool }) => ({ ...pool, tokens: [token0, token1] as const }));
  const pools = [...known, ...fresh].sort((one, other) => one.position - other.position);
  return { ...(await listingOf(pools, settings)), position };
}

/** Of observed pools, those that are listed without the name of an exchange. */
function unnamedAmong({ pools }: Listing, observed: readonly number[]): Set<number> {
  if (observed.length === 0) return new Set();
  const wanted = new Set(observed);
  return new Set(pools.filter(({ id, isNamed }) => !isNamed && wanted.has(id)).map(({ id }) => id));
}

async function readCreated(
  session: ReadSession,
  after: number,
): Promise<{ created: PoolCreation[]; position: number }> {
  const created: PoolCreation[] = [];
  const turn = new Turn();
  for (let position = after; ; position = created.at(-1)!.position) {
    const found = await session.exchange.creations(position, BATCH_SIZE);
    created.push(...found);
    if (found.length < BATCH_SIZE) return { created, position: found.at(-1)?.position ?? position };
    await turn.yieldToEventLoop();
  }
}

/** Stands for the native coin in pools of V4 and Infinity. */
export const COIN: Hex = `0x${"0".repeat(40)}`;

function firstNumber(chosen: readonly ChosenPool[], wanted: Hex): number | undefined {
  for (const { id, tokens } of chosen) {
    const side = tokens.findIndex(({ address }) => toHex(address) === wanted);
    if (side >= 0) return 2 * id + side;
  }
  return undefined;
}

/** Several managers may have a pool of one id: the first that is trusted is called by it, others by their whole key. */
function nameOf({ key, isNamed }: PoolFacts, names: Set<Hex>): Hex {
  const parts = partsOfKey(key);
  if (parts === undefined) return toHex(key);
  const id = toHex(parts.id);
  if (!isNamed || names.has(id)) return toHex(key);
  names.add(id);
  return id;
}

/** Token number: twice the id of its first pool, plus one for token1. */
async function listingOf(
  chosen: readonly ChosenPool[],
  settings: ExchangeSettings,
): Promise<Omit<Listing, "position">> {
  const wrapped = settings.wrappedCoin === undefined ? undefined : firstNumber(chosen, settings.wrappedCoin);
  const tokensByHex = new Map<Hex, ListedToken>();
  const tokensByNumber = new Map<number, ListedToken>();
  const listToken = ({ address, reported }: ChosenToken, number: number, since: number): ListedToken => {
    const hex = toHex(address);
    const known = tokensByHex.get(hex);
    if (known !== undefined) return known;
    const pricedAs = hex === COIN ? (wrapped ?? number) : number;
    const token = { number, pricedAs, address, hex, since, reported };
    tokensByHex.set(hex, token);
    tokensByNumber.set(number, token);
    return token;
  };
  const names = new Set<Hex>();
  const pools = await mapInTurns(chosen, ({ tokens: [token0, token1], ...pool }) => ({
    ...pool,
    hex: nameOf(pool, names),
    token0: listToken(token0, 2 * pool.id, pool.since),
    token1: listToken(token1, 2 * pool.id + 1, pool.since),
  }));
  const ids = new Set(pools.map(({ id }) => id));
  return { pools, poolsByHex: new Map(pools.map((pool) => [pool.hex, pool])), ids, tokensByHex, tokensByNumber };
}
