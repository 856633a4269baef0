import type { AddressBytes, Bytes } from "../../../chain/encoding/bytes.ts";
import type { CreatedPool, PoolKey } from "../../../chain/exchange/exchangeFields.ts";
import { isSolidly, POOL_TYPES } from "../../../chain/exchange/exchangeFields.ts";
import type { Reader, Row } from "../../engine/database.ts";
import { inDialect } from "../../engine/database.ts";
import { asBytes, corrupt } from "../../rows/encoding.ts";
import type { PoolState } from "./poolState.ts";
import { readPoolState } from "./poolState.ts";
import type { Position } from "./position.ts";
import { managedRange, readPosition } from "./position.ts";

/**
 * A pool creation according to a factory. Anyone can claim any address: the first claim of each factory counts, and
 * `PoolConfirmation` determines which is true.
 */
export interface PoolCreation extends Omit<CreatedPool, "pool"> {
  /** Ids are in order of the first claim. */
  readonly pool: number;
  readonly address: PoolKey;
  readonly position: number;
}

export const CREATION_COLUMNS = [
  ...["pool", "factory", "position", "type", "token0", "token1", "fee", "tick_spacing", "hooks"],
];

export const SELECT_CREATIONS =
  "SELECT c.pool, p.address, c.factory, c.position, c.type, c.token0, c.token1, c.fee, c.tick_spacing, c.hooks FROM pool_creation c JOIN pool p ON p.id = c.pool";

export type CreationRow = [
  ...[pool: number, address: Bytes, factory: Bytes, position: number, type: string],
  ...[token0: Bytes, token1: Bytes, fee: number | null, tickSpacing: number | null, hooks: Bytes | null],
];

export function readCreation(row: CreationRow): PoolCreation {
  const [pool, address, factory, position, type, token0, token1, fee, tickSpacing, hooks] = row;
  return {
    pool,
    address: asBytes(address),
    factory: asBytes(factory),
    position,
    ...kindOf(type),
    token0: asBytes(token0),
    token1: asBytes(token1),
    fee: fee ?? undefined,
    tickSpacing: tickSpacing ?? undefined,
    hooks: hooks === null ? undefined : asBytes(hooks),
  };
}

/** After the type of a pool of the second generation. */
const SECOND = "-2";

function kindOf(text: string): Pick<PoolCreation, "type" | "generation"> {
  const isSecond = text.endsWith(SECOND);
  const type = POOL_TYPES.find((one) => one === (isSecond ? text.slice(0, -SECOND.length) : text));
  if (type === undefined) throw corrupt("a pool is of no type");
  return isSolidly(type) ? { type, generation: isSecond ? 2 : 1 } : { type };
}

export function creationRow(creation: PoolCreation): Row {
  const { pool, factory, position, type, token0, token1, fee, tickSpacing, hooks, generation } = creation;
  const text = generation === 2 ? `${type}${SECOND}` : type;
  return [pool, factory, position, text, token0, token1, fee ?? null, tickSpacing ?? null, hooks ?? null];
}

export type StateAt = PoolState & { readonly pool: number; readonly block: number };

const STATES = inDialect(
  ({ joinInOrder }) => `SELECT s.pool, s.block, s.body FROM ($pairs) w ${joinInOrder} pool_state s
    WHERE s.pool = w.column1 AND s.block = (SELECT max(n.block) FROM pool_state n WHERE n.pool = w.column1 AND n.block <= w.column2)`,
);

/** At or before a block. */
export async function loadStates(db: Reader, pools: readonly number[], block: number): Promise<Map<number, StateAt>> {
  const pairs = pools.map((pool) => [pool, block] as const);
  const rows = await db.loadPairs<[number, number, Bytes]>(STATES(db), pairs);
  return new Map(rows.map(([pool, at, body]) => [pool, { ...readPoolState(body), pool, block: at }]));
}

/** Of one pool at or before each block; undefined where there is none. */
export async function loadStatesAt(
  db: Reader,
  pool: number,
  blocks: readonly number[],
): Promise<(StateAt | undefined)[]> {
  const pairs = [...new Set(blocks)].map((block) => [pool, block] as const);
  const rows = await db.loadPairs<[number, number, Bytes]>(STATES(db), pairs);
  const states = new Map(rows.map(([, at, body]) => [at, { ...readPoolState(body), pool, block: at }]));
  const found = [...states.values()].sort((one, other) => one.block - other.block);
  return blocks.map((block) => found.findLast((state) => state.block <= block));
}

const CHANGES = "SELECT pool, block, body FROM pool_state WHERE (pool, block) IN ($pairs)";

export async function loadChanges(
  db: Reader,
  changes: readonly (readonly [pool: number, block: number])[],
): Promise<StateAt[]> {
  const rows = await db.loadPairs<[number, number, Bytes]>(CHANGES, changes);
  const states = rows.map(([pool, block, body]) => ({ ...readPoolState(body), pool, block }));
  return states.sort((one, other) => one.block - other.block);
}

const POSITIONS =
  "SELECT w.column1, (SELECT p.body FROM position p WHERE p.id = w.column1 AND p.block <= w.column2 ORDER BY p.block DESC LIMIT 1) FROM ($pairs) w";

/** As of a block; skips missing ones. */
export async function loadPositions(
  db: Reader,
  ids: readonly Bytes[],
  block: number,
): Promise<[id: Bytes, position: Position][]> {
  const pairs = ids.map((id) => [id, block] as const);
  const rows = await db.loadPairs<[Bytes, Bytes | null]>(POSITIONS, pairs);
  return rows.flatMap(([id, body]) => (body === null ? [] : [[id, readPosition(body)] as [Bytes, Position]]));
}

const MANAGERS =
  "SELECT w.column1 FROM ($pairs) w WHERE EXISTS (SELECT 1 FROM position p WHERE p.id >= w.column1 AND p.id < w.column2)";

export async function loadManagers(db: Reader, addresses: readonly AddressBytes[]): Promise<AddressBytes[]> {
  const rows = await db.loadPairs<[Bytes]>(MANAGERS, addresses.map(managedRange));
  return rows.map(([from]) => from.subarray(1, 21));
}

export async function loadPools(db: Reader, addresses: readonly PoolKey[]): Promise<[id: number, address: PoolKey][]> {
  return db.load<[number, Bytes]>("SELECT id, address FROM pool WHERE address IN ($keys)", addresses);
}
