import type { AddressBytes, Bytes } from "../../../chain/encoding/bytes.ts";
import type { Reader } from "../../engine/database.ts";
import { mustHave } from "../../rows/encoding.ts";
import { readChangedBlocks } from "./exchangeBlocks.ts";
import { textOf } from "./exchangeMemory.ts";
import type { CreationRow, PoolCreation, StateAt } from "./exchangeRows.ts";
import {
  loadChanges,
  loadPools,
  loadPositions,
  loadStates,
  loadStatesAt,
  readCreation,
  SELECT_CREATIONS,
} from "./exchangeRows.ts";
import { readExchangeTip } from "./exchangeTip.ts";
import type { PoolObservation } from "./observe/poolObservation.ts";
import { readPoolObservations } from "./observe/poolObservation.ts";
import { readPoolState } from "./poolState.ts";
import type { Position } from "./position.ts";
import { directPool, directRange, managedBy, managedId, readPosition } from "./position.ts";

/** With its manager's token id, if it has one. */
export interface OwnedPosition extends Position {
  readonly id: Bytes;
  readonly manager: AddressBytes | undefined;
  readonly tokenId: Bytes | undefined;
}

const NEWEST = Number.MAX_SAFE_INTEGER;

const BATCH_SIZE = 500;

/** Valid at the stage's own tip, which may be behind the core. */
export class ExchangeReads {
  readonly #db: Reader;

  constructor(db: Reader) {
    this.#db = db;
  }

  async tip(): Promise<number | undefined> {
    return (await readExchangeTip(this.#db))?.number;
  }

  /** In chain order after a position. */
  async creations(after: number, limit: number): Promise<PoolCreation[]> {
    const sql = `${SELECT_CREATIONS} WHERE c.position > ? ORDER BY c.position LIMIT ?`;
    return (await this.#db.all<CreationRow>(sql, after, limit)).map(readCreation);
  }

  async creationsOf(pools: readonly number[]): Promise<Map<number, PoolCreation[]>> {
    const rows = await this.#db.load<CreationRow>(`${SELECT_CREATIONS} WHERE c.pool IN ($keys)`, pools);
    const byPool = new Map<number, Map<number, PoolCreation>>();
    for (const creation of rows.map(readCreation)) {
      const known = byPool.get(creation.pool) ?? new Map();
      byPool.set(creation.pool, known.set(creation.position, creation));
    }
    const inOrder = (found: Map<number, PoolCreation>) => [...found.values()].sort((a, b) => a.position - b.position);
    return new Map([...byPool].map(([pool, found]) => [pool, inOrder(found)]));
  }

  /** Claims that pools are at these addresses, in chain order. */
  async creationsAt(addresses: readonly AddressBytes[]): Promise<PoolCreation[]> {
    const rows = await this.#db.load<CreationRow>(`${SELECT_CREATIONS} WHERE p.address IN ($keys)`, addresses);
    return rows.map(readCreation).sort((a, b) => a.position - b.position);
  }

  async ids(addresses: readonly AddressBytes[]): Promise<Map<string, number>> {
    const found = await loadPools(this.#db, addresses);
    return new Map(found.map(([id, address]) => [Buffer.from(address).toString("hex"), id]));
  }

  observations(pools: readonly number[]): Promise<Map<number, PoolObservation>> {
    return readPoolObservations(this.#db, pools);
  }

  async observed(from: number, to: number): Promise<number[]> {
    const sql = "SELECT pool FROM pool_observation WHERE block >= ? AND block <= ?";
    return (await this.#db.all<[number]>(sql, from, to)).map(([pool]) => pool);
  }

  /** States at or before a block; missing if there are none. */
  states(pools: readonly number[], block = NEWEST): Promise<Map<number, StateAt>> {
    return loadStates(this.#db, pools, block);
  }

  /** Of one pool at or before each block. */
  statesAt(pool: number, blocks: readonly number[]): Promise<(StateAt | undefined)[]> {
    return loadStatesAt(this.#db, pool, blocks);
  }

  /** States after each change in [from, to], in batches, ascending. */
  async *changes(from: number, to: number): AsyncGenerator<StateAt[]> {
    const blocks = await readChangedBlocks(this.#db, from, to, NEWEST);
    const changes = blocks.flatMap(({ block, pools }) => pools.map((pool) => [pool, block] as const));
    for (let at = 0; at < changes.length; at += BATCH_SIZE) {
      yield loadChanges(this.#db, changes.slice(at, at + BATCH_SIZE));
    }
  }

  /** States of a pool after each change in [from, to], ascending. */
  async history(pool: number, from: number, to: number, limit: number): Promise<StateAt[]> {
    const sql =
      "SELECT block, body FROM pool_state WHERE pool = ? AND block >= ? AND block <= ? ORDER BY block LIMIT ?";
    const rows = await this.#db.all<[number, Bytes]>(sql, pool, from, to, limit);
    return rows.map(([block, body]) => ({ ...readPoolState(body), pool, block }));
  }

  /** States of a pool before a block, descending. */
  async recent(pool: number, before: number, limit: number): Promise<StateAt[]> {
    const sql = "SELECT block, body FROM pool_state WHERE pool = ? AND block < ? ORDER BY block DESC LIMIT ?";
    const rows = await this.#db.all<[number, Bytes]>(sql, pool, before, limit);
    return rows.map(([block, body]) => ({ ...readPoolState(body), pool, block }));
  }

  async touched(from: number, to: number): Promise<Set<number>> {
    const blocks = await this.touchedByBlock(from, to);
    return new Set(blocks.flatMap(({ pools }) => pools));
  }

  /** Blocks in [from, to] that changed pools, ascending. */
  touchedByBlock(from: number, to: number): Promise<{ readonly block: number; readonly pools: readonly number[] }[]> {
    return readChangedBlocks(this.#db, from, to, NEWEST);
  }

  /** The first or the last of these blocks. */
  someTouched(
    from: number,
    to: number,
    { limit, isDescending }: { readonly limit: number; readonly isDescending: boolean },
  ): Promise<{ readonly block: number; readonly pools: readonly number[] }[]> {
    return readChangedBlocks(this.#db, from, to, limit, isDescending);
  }

  /** Pools in which an address has V3 liquidity. */
  async poolsWithLiquidity(owner: AddressBytes, pools: readonly number[]): Promise<Set<number>> {
    const sql = "SELECT pool FROM position_owner WHERE (owner, pool) IN ($pairs)";
    const pairs = pools.map((pool) => [owner, pool] as const);
    const rows = await this.#db.loadPairs<[number]>(sql, pairs);
    return new Set(rows.map(([pool]) => pool));
  }

  /** Positions with liquidity, by pool. */
  async positionIdsOf(owner: AddressBytes, limit: number): Promise<{ pool: number; id: Bytes }[]> {
    const sql = "SELECT pool, position FROM position_owner WHERE owner = ? ORDER BY pool, position LIMIT ?";
    return (await this.#db.all<[number, Bytes]>(sql, owner, limit)).map(([pool, id]) => ({ pool, id }));
  }

  /** In the order of the ids, which must exist. */
  async positionsById(ids: readonly Bytes[]): Promise<OwnedPosition[]> {
    const found = new Map((await loadPositions(this.#db, ids, NEWEST)).map(([id, position]) => [textOf(id), position]));
    return ids.map((id) => {
      const managed = managedBy(id);
      const position = mustHave(found.get(textOf(id)), "a position of an owner");
      return { ...position, id, manager: managed?.manager, tokenId: managed?.tokenId };
    });
  }

  /** Positions that are tokens of managers; undefined where there is none. */
  async managed(
    tokens: readonly (readonly [manager: AddressBytes, tokenId: Bytes])[],
  ): Promise<(Position | undefined)[]> {
    const ids = tokens.map(([manager, tokenId]) => managedId(manager, tokenId));
    const found = new Map((await loadPositions(this.#db, ids, NEWEST)).map(([id, position]) => [textOf(id), position]));
    return ids.map((id) => found.get(textOf(id)));
  }

  /** Newest states of positions held in a pool itself, also by managers; ascending by id after one. */
  async positionsIn(pool: number, after: Bytes | undefined, limit: number): Promise<[id: Bytes, position: Position][]> {
    const sql =
      "SELECT p.id, p.body FROM position p WHERE p.id > ? AND p.id < ? AND p.block = (SELECT max(n.block) FROM position n WHERE n.id = p.id) ORDER BY p.id LIMIT ?";
    const [from, below] = directRange(pool);
    const rows = await this.#db.all<[Bytes, Bytes]>(sql, after ?? from, below, limit);
    return rows.map(([id, body]) => [id, readPosition(body)]);
  }

  /** Positions held in pools themselves that changed in blocks [from, to], as they are now. */
  async changedPositions(from: number, to: number): Promise<[id: Bytes, position: Position][]> {
    const blocks = await readChangedBlocks(this.#db, from, to, NEWEST);
    const ids = new Map<string, Bytes>();
    for (const { positions } of blocks) {
      for (const id of positions) if (directPool(id) !== undefined) ids.set(textOf(id), id);
    }
    return loadPositions(this.#db, [...ids.values()], NEWEST);
  }

  async position(id: Bytes): Promise<Position | undefined> {
    return (await loadPositions(this.#db, [id], NEWEST))[0]?.[1];
  }

  /** A position after each block that changed it, before a block, descending. */
  async positionHistory(id: Bytes, before: number, limit: number): Promise<(readonly [block: number, Position])[]> {
    const sql = "SELECT block, body FROM position WHERE id = ? AND block < ? ORDER BY block DESC LIMIT ?";
    const rows = await this.#db.all<[number, Bytes]>(sql, id, before, limit);
    return rows.map(([block, body]) => [block, readPosition(body)]);
  }
}
