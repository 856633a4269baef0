import type { AddressBytes, Bytes } from "../../chain/encoding/bytes.ts";
import type { Hex } from "../../chain/encoding/hex.ts";
import { fromHex } from "../../chain/encoding/hex.ts";
import { ChainError } from "../../chain/error.ts";
import { isPairType, isSingleton, isSolidly } from "../../chain/exchange/exchangeFields.ts";
import type { Head } from "../../chain/source.ts";
import { amountsOf, isInRange } from "../../exchange/positions.ts";
import { worth } from "../../exchange/value.ts";
import { Turn } from "../../std/async.ts";
import { defined } from "../../std/values.ts";
import type { ReadSession } from "../../store/session.ts";
import type { OwnedPosition } from "../../store/stages/exchange/exchangeReads.ts";
import { NO_STATE } from "../../store/stages/exchange/poolState.ts";
import type { QueryContext } from "../context.ts";
import type { ExchangeView } from "../exchange/exchangeView.ts";
import type { ListedPool } from "../exchange/listedPools.ts";
import { sidesIn } from "../exchange/valuedPools.ts";
import { supplyOf } from "../tokens/token.ts";
import { readClaimable } from "./claimableFees.ts";
import type { ListPage } from "./exchangeTokens.ts";
import type { PoolRecord } from "./poolRecords.ts";
import { readPools } from "./poolRecords.ts";
import type { PlacedPosition, Uncollected } from "./uncollectedFees.ts";
import { readUncollected } from "./uncollectedFees.ts";

/** Liquidity of a user: shares of a pair, or a V3 position. Values are in units of 1 / SCALE dollars. */
export interface UserPosition {
  readonly record: PoolRecord;
  /** Undefined for shares of a pair. */
  readonly position: OwnedPosition | undefined;
  /** Shares, or liquidity. */
  readonly liquidity: bigint;
  /** All shares, or the liquidity that is in range. */
  readonly total: bigint;
  readonly isInRange: boolean;
  /** Amounts that removing it would return. */
  readonly amount0: bigint;
  readonly amount1: bigint;
  readonly value: bigint;
  /** Undefined if the node did not say; pairs of V2 have none. */
  readonly uncollected: Uncollected | undefined;
  readonly uncollectedValue: bigint | undefined;
}

interface PositionPage {
  readonly positions: readonly UserPosition[];
  readonly total: number;
  readonly block: number;
  /** At the block of this hash. */
  readonly view: ExchangeView;
  readonly hash: Bytes;
}

/** More V3 positions of one address are not listed. */
export const MAX_POSITIONS = 10_000;

const BATCH_SIZE = 500;

type Entry =
  | { readonly pool: ListedPool; readonly shares: bigint }
  | { readonly pool: ListedPool; readonly id: Uint8Array };

/** Shares of pairs first, then V3 positions, each by the age of the pool. Undefined without an index. */
export async function listUserPositions(
  context: QueryContext,
  user: Hex,
  { page, pageSize }: ListPage,
): Promise<PositionPage | undefined> {
  const { exchange } = context;
  const found = await exchange.read(async (session, view) => {
    if (view.range === undefined) return undefined;
    const owner = fromHex(user);
    const [pairs, concentrated] = await Promise.all([readPairs(session, view, owner), readOwned(session, view, owner)]);
    const all: readonly Entry[] = [...pairs, ...concentrated];
    const shown = all.slice((page - 1) * pageSize, page * pageSize);
    const records = await readPools(session, view, exchange.settings, [...new Set(shown.map(({ pool }) => pool))]);
    const positions = await describeAll(session, view, shown, new Map(records.map((one) => [one.pool.id, one])));
    return { positions, total: all.length, view, tip: view.range.tip };
  });
  if (found === undefined) return undefined;
  const { positions, total, view, tip } = found;
  const fees = await readFees(context, fromHex(user), positions, view, tip);
  const withFees = positions.map((one): UserPosition => {
    if (!fees.has(one)) return one;
    const { pool } = one.record;
    const uncollected = fees.get(one);
    // Only the code of a known exchange is believed where it is about money.
    const uncollectedValue = uncollected && pool.isNamed ? dollarsOf(view, pool, uncollected) : undefined;
    return { ...one, uncollected, uncollectedValue };
  });
  return { positions: withFees, total, block: tip.number, view, hash: tip.hash };
}

/** Of positions whose fees are not part of their liquidity. */
async function readFees(
  context: QueryContext,
  owner: AddressBytes,
  positions: readonly UserPosition[],
  { now }: ExchangeView,
  tip: Pick<Head, "number" | "hash">,
): Promise<Map<UserPosition, Uncollected | undefined>> {
  const inPool = positions.flatMap((of): { of: UserPosition; placed: PlacedPosition }[] => {
    const { id, type, address } = of.record.pool;
    if (of.position === undefined || isSingleton(type)) return [];
    const tick = now.states.get(id)?.tick ?? 0;
    return [{ of, placed: { ...of.position, poolAddress: address, isAlgebra: type === "algebra", tick } }];
  });
  const claiming = positions.filter(hasClaims);
  const shares = claiming.map(({ record, liquidity }) => ({ pool: record.pool.address, amount: liquidity }));
  const placed = inPool.map((one) => one.placed);
  const [uncollected, claimable] = await Promise.all([
    readUncollected(context, placed, tip),
    readClaimable(context, owner, shares, tip),
  ]);
  return new Map([
    ...inPool.map(({ of }, at) => [of, uncollected[at]] as const),
    ...claiming.map((of, at) => [of, claimable[at]] as const),
  ]);
}

/** Shares of pools of Solidly have fees that do not stay in the pool. */
const hasClaims = ({ position, record }: UserPosition) => position === undefined && isSolidly(record.pool.type);

/** Pairs of which the user has shares. */
async function readPairs(session: ReadSession, { listing, balances }: ExchangeView, owner: AddressBytes) {
  const holder = await session.addresses.id(owner);
  const found: { pool: ListedPool; shares: bigint }[] = [];
  if (holder === undefined) return found;
  const pairs = listing.pools.filter(({ type, hex }) => isPairType(type) && balances.ids.has(hex));
  const turn = new Turn();
  for (let from = 0; from < pairs.length; from += BATCH_SIZE) {
    const some = pairs.slice(from, from + BATCH_SIZE);
    const shares = await session.tokens.balances(some.map(({ hex }) => [holder, balances.ids.get(hex)!]));
    for (const [at, pool] of some.entries()) if (shares[at]! > 0n) found.push({ pool, shares: shares[at]! });
    await turn.yieldToEventLoop();
  }
  return found;
}

async function readOwned(session: ReadSession, { listing }: ExchangeView, owner: AddressBytes) {
  const owned = await session.exchange.positionIdsOf(owner, MAX_POSITIONS + 1);
  if (owned.length > MAX_POSITIONS) throw new ChainError("limit_exceeded", `more than ${MAX_POSITIONS} positions`);
  const pools = new Map(listing.pools.map((pool) => [pool.id, pool]));
  return owned.flatMap(({ pool, id }) => (pools.has(pool) ? [{ pool: pools.get(pool)!, id }] : []));
}

async function describeAll(
  session: ReadSession,
  view: ExchangeView,
  entries: readonly Entry[],
  records: ReadonlyMap<number, PoolRecord>,
): Promise<UserPosition[]> {
  const ids = entries.flatMap((entry) => ("id" in entry ? [entry.id] : []));
  const tokens = entries.flatMap((entry) => ("id" in entry ? [] : (view.balances.ids.get(entry.pool.hex) ?? [])));
  const [positions, known] = await Promise.all([session.exchange.positionsById(ids), session.tokens.byId(tokens)]);
  let at = 0;
  return entries.map((entry) => {
    const record = defined(records.get(entry.pool.id));
    if ("id" in entry) return describePosition(view, record, positions[at++]!);
    const token = known.get(view.balances.ids.get(entry.pool.hex)!);
    return describeShares(view, record, entry.shares, (token && supplyOf(token)) ?? 0n);
  });
}

function describeShares(view: ExchangeView, record: PoolRecord, shares: bigint, supply: bigint): UserPosition {
  const { balance0, balance1 } = record.figures;
  const part = (balance: bigint) => (supply > 0n ? (shares * balance) / supply : 0n);
  const amounts = [part(balance0), part(balance1)] as const;
  return {
    ...{ record, position: undefined, liquidity: shares, total: supply, isInRange: true },
    ...{ amount0: amounts[0], amount1: amounts[1], value: dollarsOf(view, record.pool, amounts) },
    ...{ uncollected: [0n, 0n], uncollectedValue: 0n },
  };
}

function describePosition(view: ExchangeView, record: PoolRecord, position: OwnedPosition): UserPosition {
  const state = view.now.states.get(record.pool.id) ?? NO_STATE;
  const amounts = amountsOf(position, state);
  return {
    ...{
      record,
      position,
      liquidity: position.liquidity,
      total: state.liquidity,
      isInRange: isInRange(position, state),
    },
    ...{ amount0: amounts[0], amount1: amounts[1], value: dollarsOf(view, record.pool, amounts) },
    ...{ uncollected: undefined, uncollectedValue: undefined },
  };
}

/** A token without a price counts nothing. */
function dollarsOf({ valued }: ExchangeView, pool: ListedPool, [amount0, amount1]: readonly [bigint, bigint]): bigint {
  const [side0, side1] = sidesIn(valued.dollars, pool);
  return worth(amount0, side0) + worth(amount1, side1);
}
