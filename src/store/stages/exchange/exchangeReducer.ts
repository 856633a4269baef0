import { equalBytes } from "../../../chain/encoding/bytes.ts";
import * as algebra from "../../../chain/exchange/algebra.ts";
import type { CreatedPool, LiquidityChange, PoolSwap, PricedSwap } from "../../../chain/exchange/exchangeFields.ts";
import * as fields from "../../../chain/exchange/exchangeFields.ts";
import type { ExchangeLog } from "../../../chain/exchange/exchangeLog.ts";
import { readInitializeInfinity, readSwapInfinity } from "../../../chain/exchange/infinity.ts";
import type { SingletonChange } from "../../../chain/exchange/singleton.ts";
import * as singleton from "../../../chain/exchange/singleton.ts";
import { logPosition, slotOf } from "../../rows/position.ts";
import { configure, keepForPlugin, swapAlgebra } from "./algebraTransitions.ts";
import type { Reserves } from "./amounts.ts";
import { creationOf } from "./creationLogs.ts";
import type { ExchangeMemory } from "./exchangeMemory.ts";
import type { PoolCreation } from "./exchangeRows.ts";
import { noPairFee, noteFee } from "./pairFee.ts";
import type { PoolState } from "./poolState.ts";
import { NO_STATE } from "./poolState.ts";
import type { PoolDraft } from "./poolTransitions.ts";
import * as transitions from "./poolTransitions.ts";
import type { PositionChange } from "./positionReducer.ts";
import { PositionReducer } from "./positionReducer.ts";
import { noSingleton } from "./singletonState.ts";
import { noSolidly } from "./solidlyState.ts";
import { swapSolidly } from "./solidlyTransitions.ts";
import type { LoggedChange } from "./transactionContext.ts";
import { transactionContext } from "./transactionContext.ts";

export interface ExchangeBlock {
  readonly number: number;
  readonly logs: readonly ExchangeLog[];
}

export interface BlockChanges {
  readonly number: number;
  /** Number of effective logs. */
  readonly events: number;
  readonly creations: readonly PoolCreation[];
  readonly states: readonly (readonly [pool: number, state: PoolState])[];
  readonly positions: readonly PositionChange[];
}

export class ExchangeReducer {
  readonly #memory: ExchangeMemory;
  readonly #number: number;
  readonly #creations: PoolCreation[] = [];
  readonly #drafts = new Map<number, PoolDraft>();
  readonly #positions: PositionReducer;
  #events = 0;
  #transaction = transactionContext(-1);

  constructor(memory: ExchangeMemory, number: number) {
    this.#memory = memory;
    this.#number = number;
    this.#positions = new PositionReducer(memory);
  }

  reduce(logs: readonly ExchangeLog[]): BlockChanges {
    for (const log of logs) {
      const { transactionIndex: index } = log;
      if (index !== this.#transaction.index) this.#transaction = transactionContext(index);
      if (this.#apply(log)) this.#events++;
    }
    for (const [pool, state] of this.#drafts) this.#memory.states.set(pool, state);
    return {
      number: this.#number,
      events: this.#events,
      creations: this.#creations,
      states: [...this.#drafts].sort(([a], [b]) => a - b),
      positions: this.#positions.changes,
    };
  }

  /** Whether the log is effective: of a pool, of a position, or a pool creation. */
  #apply(one: ExchangeLog): boolean {
    switch (one.event) {
      case "pairCreated":
      case "poolCreated":
      case "algebraPool":
      case "solidlyPair":
      case "solidlyPool":
        return this.#create(creationOf(one), one);
      case "customPool":
        return this.#createCustom(creationOf(one), one);
      case "initializeV4":
        return this.#initialize(one, singleton.readInitializeV4(one.log));
      case "initializeInfinity":
        return this.#initialize(one, readInitializeInfinity(one.log));
      case "increaseLiquidity":
        return this.#positions.increase(this.#transaction, one.log.address, fields.readManagedChange(one.log));
      case "increaseAlgebra":
        return this.#positions.increase(this.#transaction, one.log.address, algebra.readIncreaseAlgebra(one.log));
      case "decreaseLiquidity":
        return this.#positions.decrease(this.#transaction, one.log.address, fields.readManagedChange(one.log));
      case "collectManaged":
        return this.#positions.collectToken(this.#transaction, one.log.address, fields.readCollectedToken(one.log));
      case "transferPosition":
        return this.#positions.transfer(this.#transaction, one);
      default:
        return this.#applyToPool(one);
    }
  }

  #create(created: CreatedPool | undefined, { logIndex, transactionIndex }: ExchangeLog): boolean {
    if (created === undefined) return false;
    const { pool: address, ...rest } = created;
    const pool = this.#memory.claim(address, created.factory);
    if (pool === undefined) return false;
    const position = logPosition(this.#number, transactionIndex, logIndex);
    this.#creations.push({ pool, address, position, ...rest });
    return true;
  }

  /** A factory may log a pool with others before it says that it is custom. */
  #createCustom(created: CreatedPool | undefined, one: ExchangeLog): boolean {
    if (created === undefined || this.#create(created, one)) return created !== undefined;
    const pool = this.#memory.poolAt(created.pool);
    const isSame = (known: PoolCreation) =>
      known.pool === pool && known.hooks === undefined && equalBytes(known.factory, created.factory);
    const at = this.#creations.findIndex((known) => known.type === "algebra" && isSame(known));
    if (at < 0) return false;
    this.#creations[at] = { ...this.#creations[at]!, hooks: created.hooks };
    return true;
  }

  /** Creates a pool without an address, which has a price from then on. */
  #initialize(one: ExchangeLog, created: singleton.InitializedPool | undefined): boolean {
    if (created === undefined) return false;
    const { sqrtPrice, tick, ...pool } = created;
    if (!this.#create(pool, one)) return false;
    const draft = this.#draft(this.#memory.poolAt(pool.pool));
    Object.assign(draft, { sqrtPrice, tick, singleton: noSingleton() });
    return true;
  }

  #applyToPool(one: ExchangeLog): boolean {
    const { event, log } = one;
    const pool = this.#memory.poolAt(singleton.keyOfPool(event, log));
    if (pool === 0) return false;
    if (algebra.isAlgebraEvent(event)) return this.#applyAlgebra(pool, one);
    if (singleton.isSingletonEvent(event)) return this.#applySingleton(pool, one);
    switch (event) {
      case "sync":
        this.#sync(pool, fields.readAmounts(log));
        break;
      case "syncSolidly":
        this.#syncSolidly(pool, fields.readAmounts(log));
        break;
      case "swapV2":
      case "swapSolidly":
        this.#swapReserves(pool, fields.readSwapV2(log));
        break;
      case "swapV3":
      case "swapPancake":
        this.#swap(pool, fields.readSwapV3(log));
        break;
      case "mintV2":
      case "burnV2":
      case "burnSolidly":
        this.#used(pool);
        break;
      case "initialize":
        Object.assign(this.#draft(pool), fields.readInitialize(log));
        break;
      case "mintV3":
        this.#mint({ pool, change: fields.readMintV3(log), slot: this.#slotOf(one) });
        break;
      case "burnV3": {
        const burn = fields.readBurnV3(log);
        this.#burn({ pool, change: burn, slot: this.#slotOf(one) });
        this.#keepForPlugin(pool, burn);
        break;
      }
      case "collect":
        this.#collect({ pool, change: fields.readCollect(log), slot: this.#slotOf(one) });
        break;
      case "collectProtocol":
        transitions.move(this.#draft(pool), fields.readAmounts(log), -1n);
        break;
      case "flash":
        transitions.move(this.#draft(pool), fields.readAmounts(log, 2), 1n);
        break;
      case "setFeeProtocol": {
        const draft = this.#draft(pool);
        [draft.feeProtocol0, draft.feeProtocol1] = fields.readFeeProtocol(log);
        break;
      }
    }
    return true;
  }

  #applySingleton(pool: number, one: ExchangeLog): boolean {
    const { event, log } = one;
    if (event === "modifyLiquidity") {
      this.#modify(pool, singleton.readModifyLiquidity(log), this.#slotOf(one));
    } else if (event === "protocolFeeUpdated") {
      const draft = this.#draft(pool);
      [draft.feeProtocol0, draft.feeProtocol1] = singleton.readProtocolFee(log);
      draft.singleton ??= noSingleton();
      draft.singleton.hasShareLog = true;
    } else {
      const draft = this.#used(pool);
      if (event === "swapInfinity") transitions.swapInfinity(draft, readSwapInfinity(log), this.#slotOf(one));
      else transitions.swapV4(draft, singleton.readSwapV4(log), this.#slotOf(one));
    }
    return true;
  }

  #applyAlgebra(pool: number, one: ExchangeLog): boolean {
    const { event, log } = one;
    if (event === "swapFee") this.#transaction.pluginFees.set(pool, algebra.readSwapFee(log));
    else if (event === "burnFee") this.#transaction.burnFees.set(pool, algebra.readBurnFee(log));
    else if (event === "swapAlgebra") {
      const { plugin, ...swap } = algebra.readSwapAlgebra(log);
      swapAlgebra(this.#used(pool), swap, plugin);
    } else if (event === "burnAlgebra") {
      const burn = algebra.readBurnAlgebra(log);
      this.#burn({ pool, change: burn, slot: this.#slotOf(one) });
      keepForPlugin(this.#draft(pool), burn, burn.pluginFee);
    } else configure(this.#draft(pool), one);
    return true;
  }

  #keepForPlugin(pool: number, burn: LiquidityChange): void {
    const { burnFees } = this.#transaction;
    const fee = burnFees.get(pool);
    burnFees.delete(pool);
    if (fee !== undefined) keepForPlugin(this.#draft(pool), burn, fee);
  }

  /** Pools of Algebra that log no fee with their swaps say it before. */
  #swap(pool: number, swap: PricedSwap): void {
    const draft = this.#used(pool);
    const { pluginFees } = this.#transaction;
    const plugin = pluginFees.get(pool);
    pluginFees.delete(pool);
    if (plugin === undefined && draft.algebra === undefined) transitions.swapV3(draft, swap);
    else swapAlgebra(draft, swap, plugin ?? algebra.NO_PLUGIN_FEES);
  }

  #syncSolidly(pool: number, reserves: Reserves): void {
    this.#draft(pool).solidly ??= noSolidly();
    this.#sync(pool, reserves);
  }

  #sync(pool: number, reserves: Reserves): void {
    const draft = this.#draft(pool);
    this.#transaction.reserves.set(pool, [draft.reserve0, draft.reserve1]);
    transitions.sync(draft, reserves);
  }

  #swapReserves(pool: number, swap: PoolSwap): void {
    const draft = this.#used(pool);
    const { reserves } = this.#transaction;
    const before = reserves.get(pool);
    reserves.delete(pool);
    if (draft.solidly !== undefined) swapSolidly(draft, swap, before);
    else {
      transitions.swapV2(draft, swap);
      draft.pairFee ??= noPairFee();
      if (before !== undefined) noteFee(draft.pairFee, swap, before, [draft.reserve0, draft.reserve1]);
    }
  }

  /** Mutable state of a pool within the block. */
  #draft(pool: number): PoolDraft {
    let draft = this.#drafts.get(pool);
    if (draft === undefined) {
      const before = this.#memory.states.get(pool) ?? NO_STATE;
      const singleton = before.singleton && { ...before.singleton, logs: [] };
      const algebra = before.algebra && { ...before.algebra };
      const solidly = before.solidly && { ...before.solidly };
      const pairFee = before.pairFee && { ...before.pairFee };
      draft = { ...before, singleton, algebra, solidly, pairFee, high: undefined, low: undefined };
      this.#drafts.set(pool, draft);
    }
    return draft;
  }

  /** Also counts the transaction as pool activity. */
  #used(pool: number): PoolDraft {
    const draft = this.#draft(pool);
    const { pools } = this.#transaction;
    if (!pools.has(pool)) {
      pools.add(pool);
      draft.transactions++;
    }
    return draft;
  }

  #slotOf({ transactionIndex, logIndex }: ExchangeLog): number {
    return slotOf(logPosition(this.#number, transactionIndex, logIndex));
  }

  /** A change of nothing only collects fees. */
  #modify(pool: number, change: SingletonChange, slot: number): void {
    if (change.liquidity === 0n) return;
    const amounts = transitions.changeLiquidity(this.#used(pool), change, slot);
    this.#positions.modify(this.#transaction, pool, change, { slot, amounts });
  }

  #mint(one: LoggedChange): void {
    transitions.mint(this.#used(one.pool), one.change);
    this.#positions.mint(this.#transaction, one);
  }

  /** A zero burn only updates owed fees and is no activity. */
  #burn(one: LoggedChange): void {
    if (one.change.liquidity === 0n) return;
    transitions.burn(this.#used(one.pool), one.change);
    this.#positions.burn(this.#transaction, one);
  }

  #collect(one: LoggedChange): void {
    transitions.move(this.#draft(one.pool), [one.change.amount0, one.change.amount1], -1n);
    this.#positions.collect(this.#transaction, one);
  }
}
