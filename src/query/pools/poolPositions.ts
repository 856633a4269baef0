import type { Bytes } from "../../chain/encoding/bytes.ts";
import { EMPTY } from "../../chain/encoding/bytes.ts";
import type { Hex } from "../../chain/encoding/hex.ts";
import { isPairType, isSingleton } from "../../chain/exchange/exchangeFields.ts";
import { amountsOf, isInRange } from "../../exchange/positions.ts";
import { worth } from "../../exchange/value.ts";
import type { AddressInfos } from "../../store/read/addressInfos.ts";
import type { ReadSession } from "../../store/session.ts";
import { NO_STATE } from "../../store/stages/exchange/poolState.ts";
import { saltOf } from "../../store/stages/exchange/position.ts";
import type { QueryContext } from "../context.ts";
import type { ExchangeView } from "../exchange/exchangeView.ts";
import { sidesIn } from "../exchange/valuedPools.ts";
import { readToken, supplyOf } from "../tokens/token.ts";
import type { ListPage } from "./exchangeTokens.ts";
import type { PoolRecord } from "./poolRecords.ts";
import { readPool } from "./poolRecords.ts";

/** Shares of a pair, or liquidity between two ticks as the pool itself has it. */
export interface PoolPosition {
  /** The manager of V3 tokens; of V4 whoever has the token. */
  readonly owner: Bytes;
  /** Tells positions of V4 apart that have the same owner and ticks. */
  readonly salt: Bytes | undefined;
  /** Of V4: its token is the salt. */
  readonly manager: Bytes | undefined;
  /** Undefined for shares. */
  readonly ticks: readonly [number, number] | undefined;
  readonly isInRange: boolean;
  /** Shares, or liquidity. */
  readonly liquidity: bigint;
  /** Amounts that removing it would return. */
  readonly amount0: bigint;
  readonly amount1: bigint;
  /** In units of 1 / SCALE dollars. */
  readonly value: bigint;
}

interface PoolPositionPage {
  readonly record: PoolRecord;
  readonly positions: readonly PoolPosition[];
  readonly addresses: AddressInfos;
  readonly total: number;
  /** Whether there are more than were looked at. */
  readonly isCut: boolean;
}

/** Positions of a pool that are looked at, with and without liquidity. */
export const MAX_POOL_POSITIONS = 1000;

/** Shares by amount, other positions by value, then by liquidity; undefined if there is no such pool. */
export function listPoolPositions(
  { exchange }: Pick<QueryContext, "exchange">,
  address: Hex,
  page: ListPage,
): Promise<PoolPositionPage | undefined> {
  return exchange.read(async (session, view) => {
    const record = await readPool(session, view, exchange.settings, address);
    if (record === undefined) return undefined;
    const found = await (isPairType(record.pool.type)
      ? readShares(session, view, record, page)
      : readRanges(session, view, record, page));
    const addresses = await session.addresses.infos(found.positions.map(({ owner }) => owner));
    return { record, addresses, ...found };
  });
}

type FoundPositions = Pick<PoolPositionPage, "positions" | "total" | "isCut">;

async function readShares(
  session: ReadSession,
  view: ExchangeView,
  { pool, figures }: PoolRecord,
  { page, pageSize }: ListPage,
): Promise<FoundPositions> {
  const token = await readToken(session, pool.address);
  const supply = (token && supplyOf(token)) ?? 0n;
  if (token === undefined || supply <= 0n) return { positions: [], total: 0, isCut: false };
  const total = token.state.holders;
  const holders = await session.tokens.holders.fromRank(token.id, (page - 1) * pageSize, pageSize, total);
  const part = (shares: bigint, held: bigint) => (shares * held) / supply;
  const positions = holders.map(({ address: owner, amount: liquidity }): PoolPosition => {
    const [amount0, amount1] = [part(liquidity, figures.balance0), part(liquidity, figures.balance1)];
    const value = dollarsOf(view, pool, [amount0, amount1]);
    return { ...NO_RANGE, owner, liquidity, amount0, amount1, value };
  });
  return { positions, total, isCut: false };
}

const NO_RANGE = { salt: undefined, manager: undefined, ticks: undefined, isInRange: true } as const;

async function readRanges(
  session: ReadSession,
  view: ExchangeView,
  { pool }: PoolRecord,
  { page, pageSize }: ListPage,
): Promise<FoundPositions> {
  const state = view.now.states.get(pool.id) ?? NO_STATE;
  const stored = await session.exchange.positionsIn(pool.id, undefined, MAX_POOL_POSITIONS);
  const positions = stored
    .filter(([, { liquidity }]) => liquidity > 0n)
    .map(([id, position]): PoolPosition => {
      const amounts = amountsOf(position, state);
      return {
        owner: position.owner,
        salt: saltOf(id),
        manager: undefined,
        ticks: [position.tickLower, position.tickUpper],
        isInRange: isInRange(position, state),
        liquidity: position.liquidity,
        amount0: amounts[0],
        amount1: amounts[1],
        value: dollarsOf(view, pool, amounts),
      };
    })
    .sort((one, other) => compare(other.value, one.value) || compare(other.liquidity, one.liquidity));
  const shown = positions.slice((page - 1) * pageSize, page * pageSize);
  const owned = isSingleton(pool.type) ? await withOwners(session, pool.id, shown) : shown;
  return { positions: owned, total: positions.length, isCut: stored.length === MAX_POOL_POSITIONS };
}

/** A position of V4 whose salt is a token of the caller belongs to whoever has the token. */
async function withOwners(session: ReadSession, pool: number, positions: readonly PoolPosition[]) {
  const salted = positions.map(({ owner, salt }) => [owner, salt ?? EMPTY] as const);
  const tokens = await session.exchange.managed(salted);
  return positions.map((position, at): PoolPosition => {
    const token = tokens[at];
    const [lower, upper] = position.ticks ?? [];
    const isSame = token?.pool === pool && token.tickLower === lower && token.tickUpper === upper;
    return isSame ? { ...position, owner: token.owner, manager: position.owner } : position;
  });
}

const compare = (one: bigint, other: bigint): number => (one < other ? -1 : one > other ? 1 : 0);

/** A token without a price counts nothing. */
function dollarsOf({ valued }: ExchangeView, pool: PoolRecord["pool"], [amount0, amount1]: readonly [bigint, bigint]) {
  const [side0, side1] = sidesIn(valued.dollars, pool);
  return worth(amount0, side0) + worth(amount1, side1);
}
