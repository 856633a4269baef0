import { toHex } from "../../chain/encoding/hex.ts";
import { ChainError } from "../../chain/error.ts";
import { FINALIZED_DEPTH } from "../../chain/finality.ts";
import { blockOf, firstPosition } from "../../store/rows/position.ts";
import type { ReadSession } from "../../store/session.ts";
import type { QueryContext } from "../context.ts";
import type { ExchangeView } from "../exchange/exchangeView.ts";
import type { ListedPool, Listing } from "../exchange/listedPools.ts";
import { readDecimals } from "../exchange/tokenDecimals.ts";

export interface ReadyBlock {
  readonly number: number;
  readonly timestamp: number;
}

/** Blocks that pools and tokens may take to be asked what they say of themselves. */
export const MAX_WAITING = 32;

const BATCH_SIZE = 1000;

/** The newest block that is final, and up to which pools and decimals are known; undefined if there is none yet. */
export async function findReadyBlock({ node, exchange }: QueryContext): Promise<ReadyBlock | undefined> {
  const head = await node?.head.current();
  if (head === null) throw new ChainError("upstream_unavailable", "the node does not say which block is final");
  return exchange.read(async (session, view) => {
    const { range } = view;
    if (range === undefined) return undefined;
    const newest = Math.min(range.tip.number, range.fork ?? Number.POSITIVE_INFINITY);
    const final = Math.min(newest, head?.finalized ?? newest - FINALIZED_DEPTH);
    const number = Math.min(final, (await findUnready(session, view, final)) - 1);
    const stamp = number < range.first ? undefined : (await session.blocks.stamps([number])).get(number);
    return stamp && { number, timestamp: stamp.timestamp };
  });
}

/** Of the newest blocks the first with a pool that is not known yet, or with one whose tokens were not asked. */
async function findUnready(session: ReadSession, { listing, balances }: ExchangeView, final: number): Promise<number> {
  const from = Math.max(0, final - MAX_WAITING + 1);
  const named = namedPools(listing);
  const [claimed, touched] = await Promise.all([
    findClaim(session, named, from, final),
    session.exchange.touchedByBlock(from, final),
  ]);
  const tokensOf = (pool: number) => {
    const { token0, token1 } = named.byId.get(pool) ?? {};
    return token0 && token1 ? [token0, token1] : [];
  };
  const traded = touched.map(({ block, pools }) => ({ block, tokens: pools.flatMap(tokensOf) }));
  const all = new Set(traded.flatMap(({ tokens }) => tokens));
  const decimals = await readDecimals(session, [...all], balances.ids);
  const unasked = traded.find(({ tokens }) => tokens.some(({ number }) => !decimals.has(number)));
  return Math.min(claimed, unasked?.block ?? Number.POSITIVE_INFINITY);
}

/** Block of the first pool that a trusted factory says it created, and that is not trusted yet itself. */
async function findClaim(session: ReadSession, named: NamedPools, from: number, to: number): Promise<number> {
  const end = firstPosition(to + 1);
  for (let after = firstPosition(from) - 1; ; ) {
    const claims = await session.exchange.creations(after, BATCH_SIZE);
    const found = claims.find(
      ({ pool, factory, position }) => position < end && !named.byId.has(pool) && named.factories.has(toHex(factory)),
    );
    if (found !== undefined) return blockOf(found.position);
    after = claims.at(-1)?.position ?? end;
    if (claims.length < BATCH_SIZE || after >= end) return Number.POSITIVE_INFINITY;
  }
}

interface NamedPools {
  readonly byId: ReadonlyMap<number, ListedPool>;
  readonly factories: ReadonlySet<string>;
}

const made = new WeakMap<Listing, NamedPools>();

function namedPools(listing: Listing): NamedPools {
  const known = made.get(listing);
  if (known !== undefined) return known;
  const pools = listing.pools.filter(({ isNamed }) => isNamed);
  const named = {
    byId: new Map(pools.map((pool) => [pool.id, pool])),
    factories: new Set(pools.map(({ factory }) => factory)),
  };
  made.set(listing, named);
  return named;
}
