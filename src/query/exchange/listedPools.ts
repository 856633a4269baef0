import type { Bytes } from "../../chain/encoding/bytes.ts";
import type { Hex } from "../../chain/encoding/hex.ts";
import { toHex } from "../../chain/encoding/hex.ts";
import type { PoolType } from "../../chain/exchange/exchangeFields.ts";
import type { PoolCreation } from "../../store/exchange/exchangeRows.ts";
import { blockOf } from "../../store/rows/position.ts";
import type { ReadSession } from "../../store/session.ts";
import type { ExchangeSettings } from "./exchangeSettings.ts";

/** A token that a pool has. */
export interface ListedToken {
  /** From 1, in the order in which pools first had them. */
  readonly number: number;
  readonly address: Bytes;
  readonly hex: Hex;
  /** The block of the first pool that has it. */
  readonly since: number;
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
  /** Whether the factory is configured: only then are its word and its prices taken. */
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
  readonly tokens: readonly ListedToken[];
  readonly poolsByHex: ReadonlyMap<Hex, ListedPool>;
  readonly tokensByHex: ReadonlyMap<Hex, ListedToken>;
  /** The last creation that was looked at. */
  readonly position: number;
}

export const NO_POOLS: Listing = {
  pools: [],
  tokens: [],
  poolsByHex: new Map(),
  tokensByHex: new Map(),
  position: -1,
};

const AT_ONCE = 1000;

/** What a pair takes of a trade where nobody says otherwise. */
const PAIR_FEE = 3000;

/** The listing with what was created since. */
export async function readListing(session: ReadSession, before: Listing, settings: ExchangeSettings): Promise<Listing> {
  const pools = [...before.pools];
  const tokens = [...before.tokens];
  const poolsByHex = new Map(before.poolsByHex);
  const tokensByHex = new Map(before.tokensByHex);
  const factories = new Map(settings.factories.map((factory) => [factory.address, factory]));
  const listToken = (address: Bytes, position: number): ListedToken => {
    const hex = toHex(address);
    const known = tokensByHex.get(hex);
    if (known !== undefined) return known;
    const token = { number: tokens.length + 1, address, hex, since: blockOf(position) };
    tokens.push(token);
    tokensByHex.set(hex, token);
    return token;
  };
  let { position } = before;
  for (;;) {
    const found = await session.exchange.creations(position, AT_ONCE);
    for (const creation of found) {
      position = creation.position;
      const factory = factories.get(toHex(creation.factory));
      const hex = toHex(creation.address);
      if (factory === undefined || poolsByHex.has(hex) || !isSound(creation)) continue;
      const pool = {
        id: creation.pool,
        address: creation.address,
        hex,
        type: creation.type,
        dex: factory.name,
        isNamed: true,
        fee: creation.fee ?? factory.fee ?? PAIR_FEE,
        token0: listToken(creation.token0, position),
        token1: listToken(creation.token1, position),
        position,
        since: blockOf(position),
      };
      pools.push(pool);
      poolsByHex.set(hex, pool);
    }
    if (found.length < AT_ONCE) return { pools, tokens, poolsByHex, tokensByHex, position };
  }
}

/** A pool has two tokens, and is none of them. */
function isSound({ address, token0, token1 }: PoolCreation): boolean {
  return new Set([address, token0, token1].map(toHex)).size === 3;
}
