import type { Bytes } from "../../chain/encoding/bytes.ts";
import { equalBytes } from "../../chain/encoding/bytes.ts";
import type { Hex } from "../../chain/encoding/hex.ts";
import { toHex } from "../../chain/encoding/hex.ts";
import type { PoolType } from "../../chain/exchange/exchangeFields.ts";
import type { PoolCreation } from "../../store/exchange/exchangeRows.ts";
import type { SaidToken } from "../../store/exchange/observe/poolObservation.ts";
import { blockOf } from "../../store/rows/position.ts";
import type { ReadSession } from "../../store/session.ts";
import type { ExchangeSettings } from "./exchangeSettings.ts";

/** A token that a pool has. */
export interface ListedToken {
  /** Grows with the order in which pools first had them. */
  readonly number: number;
  readonly address: Bytes;
  readonly hex: Hex;
  /** The block of the first pool that has it. */
  readonly since: number;
  /** What it said of itself where it has no transfers. */
  readonly said: SaidToken | undefined;
}

/** A pool of a factory that is configured, or that vouches for it itself. */
export interface ListedPool {
  /** The stage's. */
  readonly id: number;
  readonly address: Bytes;
  readonly hex: Hex;
  readonly type: PoolType;
  /** The name of the exchange. */
  readonly dex: string;
  /** Whether the factory is configured, or has the code of a known exchange: only then are its word and its prices taken. */
  readonly isNamed: boolean;
  /** In hundredths of a basis point. */
  readonly fee: number;
  readonly token0: ListedToken;
  readonly token1: ListedToken;
  /** Where it was created. */
  readonly position: number;
  /** The block of that. */
  readonly since: number;
}

/** All pools and their tokens, in the order in which they were created. */
export interface Listing {
  readonly pools: readonly ListedPool[];
  readonly poolsByHex: ReadonlyMap<Hex, ListedPool>;
  /** The ids of the pools. */
  readonly ids: ReadonlySet<number>;
  /** In the order in which pools first had them. */
  readonly tokensByHex: ReadonlyMap<Hex, ListedToken>;
  readonly tokensByNumber: ReadonlyMap<number, ListedToken>;
  /** The last creation that was looked at. */
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

const AT_ONCE = 1000;

/** What a pair takes of a trade where nobody says otherwise. */
const PAIR_FEE = 3000;

/**
 * The listing with what was created since, and with what was observed or used since: a pool may be confirmed, and its tokens may
 * become tokens, long after its creation.
 */
export async function readListing(
  session: ReadSession,
  before: Listing,
  settings: ExchangeSettings,
  changed: readonly number[],
): Promise<Listing> {
  const { created, position } = await readCreated(session, before.position);
  const unlisted = changed.filter((pool) => !before.ids.has(pool));
  const late = unlisted.length === 0 ? [] : [...(await session.exchange.creationsOf(unlisted)).values()].flat();
  const claims = [...created, ...late].filter(({ address }) => !before.poolsByHex.has(toHex(address)));
  const fresh = await choose(session, claims, settings);
  if (fresh.length === 0) return position === before.position ? before : { ...before, position };
  const known = before.pools.map(({ token0, token1, ...pool }) => ({
    ...pool,
    tokens: [token0, token1] as const,
  }));
  const pools = [...known, ...fresh].sort((one, other) => one.position - other.position);
  return { ...listingOf(pools), position };
}

async function readCreated(
  session: ReadSession,
  after: number,
): Promise<{ created: PoolCreation[]; position: number }> {
  const created: PoolCreation[] = [];
  for (let position = after; ; position = created.at(-1)!.position) {
    const found = await session.exchange.creations(position, AT_ONCE);
    created.push(...found);
    if (found.length < AT_ONCE) return { created, position: found.at(-1)?.position ?? position };
  }
}

type ChosenToken = Pick<ListedToken, "address" | "said">;
type ChosenPool = Omit<ListedPool, "token0" | "token1"> & { readonly tokens: readonly [ChosenToken, ChosenToken] };

/**
 * Of what is said of a pool, what a configured factory says counts; else what the pool and its factory confirmed. A pool of
 * what is no token is none.
 */
async function choose(
  session: ReadSession,
  claims: readonly PoolCreation[],
  settings: ExchangeSettings,
): Promise<ChosenPool[]> {
  const factories = new Map(settings.factories.map((factory) => [factory.address, factory]));
  const seen = await session.exchange.observations([...new Set(claims.map(({ pool }) => pool))]);
  const tokens = await withTransfers(
    session,
    claims.flatMap(({ token0, token1 }) => [token0, token1]),
  );
  const chosen = new Map<number, ChosenPool>();
  for (const creation of claims) {
    const named = factories.get(toHex(creation.factory));
    const observed = seen.get(creation.pool);
    const isConfirmed = observed?.factory !== undefined && equalBytes(observed.factory, creation.factory);
    const before = chosen.get(creation.pool);
    if ((named === undefined && !isConfirmed) || before?.isNamed || !isSound(creation)) continue;
    const known = isConfirmed ? observed : undefined;
    const [token0, token1] = [creation.token0, creation.token1].map((address, side) =>
      tokens.has(toHex(address)) ? { address, said: undefined } : { address, said: known?.tokens[side] },
    ) as [ChosenToken, ChosenToken];
    if (![token0, token1].every((token) => tokens.has(toHex(token.address)) || saysAnything(token.said))) continue;
    const exchange = named ?? (known?.exchange ? { name: known.exchange } : undefined);
    if (before === undefined || named !== undefined)
      chosen.set(creation.pool, chosenPool(creation, exchange, [token0, token1]));
  }
  return [...chosen.values()];
}

/** Those of some addresses that emitted a transfer, or wrap the coin. */
async function withTransfers(session: ReadSession, addresses: readonly Bytes[]): Promise<Set<Hex>> {
  const ids = await session.addresses.ids(addresses);
  const kinds = await session.tokens.kinds([...new Set(ids.values())]);
  return new Set(addresses.filter((address) => kinds.has(ids.get(address) ?? -1)).map(toHex));
}

/** A contract without transfers that says nothing of itself is no token. One without code cannot say anything. */
function saysAnything(said: SaidToken | undefined): boolean {
  return said !== undefined && [said.name, said.symbol, said.decimals, said.supply].some((value) => value !== null);
}

function chosenPool(
  { pool, address, type, factory, fee, position }: PoolCreation,
  named: Pick<ExchangeSettings["factories"][number], "name" | "fee"> | undefined,
  tokens: ChosenPool["tokens"],
): ChosenPool {
  return {
    id: pool,
    address,
    hex: toHex(address),
    type,
    dex: named?.name ?? `unknown-${toHex(factory).slice(2, 10)}`,
    isNamed: named !== undefined,
    fee: fee ?? named?.fee ?? PAIR_FEE,
    position,
    since: blockOf(position),
    tokens,
  };
}

/** A token has its number by the first pool that has it: twice the pool's id, and one more for token1. */
function listingOf(chosen: readonly ChosenPool[]): Omit<Listing, "position"> {
  const tokensByHex = new Map<Hex, ListedToken>();
  const tokensByNumber = new Map<number, ListedToken>();
  const listToken = ({ address, said }: ChosenToken, number: number, since: number): ListedToken => {
    const hex = toHex(address);
    const known = tokensByHex.get(hex);
    if (known !== undefined) return known;
    const token = { number, address, hex, since, said };
    tokensByHex.set(hex, token);
    tokensByNumber.set(number, token);
    return token;
  };
  const pools = chosen.map(({ tokens: [token0, token1], ...pool }) => ({
    ...pool,
    token0: listToken(token0, 2 * pool.id, pool.since),
    token1: listToken(token1, 2 * pool.id + 1, pool.since),
  }));
  const ids = new Set(pools.map(({ id }) => id));
  return { pools, poolsByHex: new Map(pools.map((pool) => [pool.hex, pool])), ids, tokensByHex, tokensByNumber };
}

/** A pool has two tokens, and is none of them. */
function isSound({ address, token0, token1 }: PoolCreation): boolean {
  return new Set([address, token0, token1].map(toHex)).size === 3;
}
