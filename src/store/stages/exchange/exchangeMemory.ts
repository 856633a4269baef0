import type { AddressBytes, Bytes } from "../../../chain/encoding/bytes.ts";
import * as fields from "../../../chain/exchange/exchangeFields.ts";
import type { ExchangeLog } from "../../../chain/exchange/exchangeLog.ts";
import { keyOfPool, readModifyLiquidity } from "../../../chain/exchange/singleton.ts";
import { settleAll } from "../../../std/async.ts";
import type { KeyedHash } from "../../dictionary/keyedHash.ts";
import type { Reader } from "../../engine/database.ts";
import { firstPosition } from "../../rows/position.ts";
import { creationOf } from "./creationLogs.ts";
import { Emitters } from "./emitters.ts";
import { loadManagers, loadPools, loadPositions, loadStates } from "./exchangeRows.ts";
import type { PoolState } from "./poolState.ts";
import { NO_STATE } from "./poolState.ts";
import type { Position } from "./position.ts";
import { directId, managedId, saltedId } from "./position.ts";

const MAX_EMITTERS = 200_000;
const MAX_STATES = 50_000;

export const textOf = (bytes: Bytes): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("latin1");

/** Pools, positions and managers that a block's events apply to. */
export class ExchangeMemory {
  readonly states = new Map<number, PoolState>();
  /** By id as text; undefined if absent. */
  readonly positions = new Map<string, Position | undefined>();
  readonly #emitters: Emitters;
  readonly #claims = new Map<number, Set<string>>();
  #pools = 0;

  constructor(hash: KeyedHash) {
    this.#emitters = new Emitters(hash);
  }

  get pools(): number {
    return this.#pools;
  }

  /** Rows of later pools are ignored. */
  begin(pools: number): void {
    this.#pools = pools;
  }

  clear(): void {
    this.states.clear();
    this.positions.clear();
    this.#emitters.clear();
    this.#claims.clear();
  }

  trim(): void {
    if (this.states.size > MAX_STATES) this.states.clear();
    if (this.positions.size > MAX_STATES) this.positions.clear();
    if (this.#emitters.size > MAX_EMITTERS) this.#emitters.clear();
    this.#claims.clear();
  }

  /** Loads everything some logs need, as of a block. */
  async load(db: Reader, logs: readonly ExchangeLog[], block: number): Promise<void> {
    await this.#loadEmitters(db, logs);
    const states = new Set<number>();
    const positions = new Map<string, Bytes>();
    const claimed = new Set<number>();
    for (const one of logs) {
      const creation = creationOf(one);
      const pool = this.poolAt(creation?.pool ?? keyOfPool(one.event, one.log));
      if (creation !== undefined) {
        if (pool !== 0 && !this.#claims.has(pool)) claimed.add(pool);
        continue;
      }
      for (const id of this.#positionsOf(one, pool)) positions.set(textOf(id), id);
      if (pool !== 0 && !this.states.has(pool)) states.add(pool);
    }
    await settleAll([
      this.#loadClaims(db, [...claimed], block),
      this.#loadStates(db, [...states], block),
      this.#loadPositions(db, positions, block),
    ]);
  }

  async #loadEmitters(db: Reader, logs: readonly ExchangeLog[]): Promise<void> {
    const { pools, managers } = this.#emitters;
    const [maybePools, maybeManagers]: [fields.PoolKey[], AddressBytes[]] = [[], []];
    for (const one of logs) {
      const isManaged = MANAGED.has(one.event);
      const address = creationOf(one)?.pool ?? keyOfPool(one.event, one.log);
      const entry = this.#emitters.entry(address);
      if (isManaged && managers[entry] === undefined) {
        managers[entry] = false;
        maybeManagers.push(address);
      } else if (!isManaged && pools[entry] === undefined) {
        pools[entry] = 0;
        maybePools.push(address);
      }
    }
    const [knownPools, knownManagers] = await settleAll([loadPools(db, maybePools), loadManagers(db, maybeManagers)]);
    for (const [id, address] of knownPools) pools[this.#emitters.entry(address)] = id <= this.#pools ? id : 0;
    for (const address of knownManagers) this.addManager(address);
  }

  #positionsOf({ event, log }: ExchangeLog, pool: number): Bytes[] {
    if (
      event === "increaseLiquidity" ||
      event === "increaseAlgebra" ||
      event === "decreaseLiquidity" ||
      event === "collectManaged"
    ) {
      return [managedId(log.address, log.topics.subarray(32, 64))];
    }
    if (event === "transferPosition") {
      return this.isManager(log.address) ? [managedId(log.address, fields.readPositionTransfer(log).tokenId)] : [];
    }
    if (pool === 0) return [];
    if (event === "modifyLiquidity") {
      const { sender, tickLower, tickUpper, salt } = readModifyLiquidity(log);
      return [saltedId(pool, sender, [tickLower, tickUpper], salt), managedId(sender, salt)];
    }
    const read = RANGES.get(event);
    if (read === undefined) return [];
    const { owner, tickLower, tickUpper } = read(log);
    return [directId(pool, owner, tickLower, tickUpper)];
  }

  async #loadClaims(db: Reader, pools: readonly number[], block: number): Promise<void> {
    for (const pool of pools) this.#claims.set(pool, new Set());
    const sql = "SELECT pool, factory, position FROM pool_creation WHERE pool IN ($keys)";
    for (const [pool, factory, position] of await db.load<[number, Bytes, number]>(sql, pools)) {
      if (position < firstPosition(block + 1)) this.#claims.get(pool)!.add(textOf(factory));
    }
  }

  async #loadStates(db: Reader, pools: readonly number[], block: number): Promise<void> {
    for (const pool of pools) this.states.set(pool, NO_STATE);
    for (const [pool, { pool: _, block: __, ...state }] of await loadStates(db, pools, block)) {
      this.states.set(pool, state);
    }
  }

  async #loadPositions(db: Reader, ids: ReadonlyMap<string, Bytes>, block: number): Promise<void> {
    const missing = [...ids].filter(([text]) => !this.positions.has(text));
    for (const [text] of missing) this.positions.set(text, undefined);
    const found = await loadPositions(
      db,
      missing.map(([, id]) => id),
      block,
    );
    for (const [id, position] of found) this.positions.set(textOf(id), position);
  }

  poolAt(key: fields.PoolKey): number {
    return this.#emitters.pools[this.#emitters.entry(key)] ?? 0;
  }

  position(id: Bytes): Position | undefined {
    return this.positions.get(textOf(id));
  }

  isManager(address: AddressBytes): boolean {
    return this.#emitters.managers[this.#emitters.entry(address)] ?? false;
  }

  addManager(address: AddressBytes): void {
    this.#emitters.managers[this.#emitters.entry(address)] = true;
  }

  /** The pool claimed to be created, new or existing; undefined if the same factory claimed it before. */
  claim(key: fields.PoolKey, factory: AddressBytes): number | undefined {
    const entry = this.#emitters.entry(key);
    const pool = this.#emitters.pools[entry] || ++this.#pools;
    this.#emitters.pools[entry] = pool;
    const claims = this.#claims.get(pool) ?? new Set();
    this.#claims.set(pool, claims);
    const text = textOf(factory);
    if (claims.has(text)) return undefined;
    claims.add(text);
    return pool;
  }
}

const MANAGED: ReadonlySet<ExchangeLog["event"]> = new Set([
  "increaseLiquidity",
  "increaseAlgebra",
  "decreaseLiquidity",
  "collectManaged",
  "transferPosition",
]);

const RANGES: ReadonlyMap<ExchangeLog["event"], (log: ExchangeLog["log"]) => fields.LiquidityChange> = new Map([
  ["mintV3", fields.readMintV3],
  ["burnV3", fields.readBurnV3],
  ["burnAlgebra", fields.readBurnV3],
  ["collect", fields.readCollect],
]);
