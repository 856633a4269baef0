import type { AddressBytes, Bytes } from "../../../chain/encoding/bytes.ts";
import { equalBytes, isZero } from "../../../chain/encoding/bytes.ts";
import * as algebra from "../../../chain/exchange/algebra.ts";
import type {
  CreatedPool,
  LiquidityChange,
  ManagedChange,
  PoolSwap,
  PricedSwap,
} from "../../../chain/exchange/exchangeFields.ts";
import * as fields from "../../../chain/exchange/exchangeFields.ts";
import type { ExchangeLog } from "../../../chain/exchange/exchangeLog.ts";
import type { SingletonChange } from "../../../chain/exchange/singleton.ts";
import * as singleton from "../../../chain/exchange/singleton.ts";
import { logPosition, slotOf } from "../../rows/position.ts";
import { configure, keepForPlugin, swapAlgebra } from "./algebraTransitions.ts";
import { creationOf } from "./creationLogs.ts";
import type { ExchangeMemory } from "./exchangeMemory.ts";
import { textOf } from "./exchangeMemory.ts";
import type { PoolCreation } from "./exchangeRows.ts";
import type { PoolState } from "./poolState.ts";
import { NO_STATE } from "./poolState.ts";
import type { PoolDraft } from "./poolTransitions.ts";
import * as transitions from "./poolTransitions.ts";
import type { Position } from "./position.ts";
import { directId, managedId, saltedId } from "./position.ts";
import { noSingleton } from "./singletonState.ts";
import { noSolidly } from "./solidlyState.ts";
import type { Reserves } from "./solidlyTransitions.ts";
import { swapSolidly } from "./solidlyTransitions.ts";
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

export interface PositionChange {
  readonly id: Bytes;
  readonly before: Position | undefined;
  readonly after: Position;
}

export class ExchangeReducer {
  readonly #memory: ExchangeMemory;
  readonly #number: number;
  readonly #creations: PoolCreation[] = [];
  readonly #drafts = new Map<number, PoolDraft>();
  readonly #positions = new Map<string, PositionChange>();
  #events = 0;
  #transaction = transactionContext(-1);

  constructor(memory: ExchangeMemory, number: number) {
    this.#memory = memory;
    this.#number = number;
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
      positions: [...this.#positions.values()],
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
        return this.#initialize(one);
      case "increaseLiquidity":
        return this.#increase(one.log.address, fields.readManagedChange(one.log));
      case "increaseAlgebra":
        return this.#increase(one.log.address, algebra.readIncreaseAlgebra(one.log));
      case "decreaseLiquidity":
        return this.#decrease(one.log.address, fields.readManagedChange(one.log));
      case "transferPosition":
        return this.#transfer(one);
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

  /** Creates a V4 pool, which has a price from then on. */
  #initialize(one: ExchangeLog): boolean {
    const created = singleton.readInitializeV4(one.log);
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
    switch (event) {
      case "swapV4":
        transitions.swapV4(this.#used(pool), singleton.readSwapV4(log), this.#slotOf(one));
        break;
      case "modifyLiquidity":
        this.#modify(pool, singleton.readModifyLiquidity(log), this.#slotOf(one));
        break;
      case "protocolFeeUpdated": {
        const draft = this.#draft(pool);
        [draft.feeProtocol0, draft.feeProtocol1] = singleton.readProtocolFee(log);
        break;
      }
      case "sync":
        transitions.sync(this.#draft(pool), fields.readAmounts(log));
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
        this.#mint(pool, fields.readMintV3(log));
        break;
      case "burnV3": {
        const burn = fields.readBurnV3(log);
        this.#burn(pool, burn);
        this.#keepForPlugin(pool, burn);
        break;
      }
      case "collect":
        transitions.move(this.#draft(pool), fields.readAmounts(log, 1), -1n);
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

  #applyAlgebra(pool: number, one: ExchangeLog): boolean {
    const { event, log } = one;
    if (event === "swapFee") this.#transaction.pluginFees.set(pool, algebra.readSwapFee(log));
    else if (event === "burnFee") this.#transaction.burnFees.set(pool, algebra.readBurnFee(log));
    else if (event === "swapAlgebra") {
      const { plugin, ...swap } = algebra.readSwapAlgebra(log);
      swapAlgebra(this.#used(pool), swap, plugin);
    } else if (event === "burnAlgebra") {
      const burn = algebra.readBurnAlgebra(log);
      this.#burn(pool, burn);
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
    const draft = this.#draft(pool);
    draft.solidly ??= noSolidly();
    this.#transaction.reserves.set(pool, [draft.reserve0, draft.reserve1]);
    transitions.sync(draft, reserves);
  }

  #swapReserves(pool: number, swap: PoolSwap): void {
    const draft = this.#used(pool);
    const { reserves } = this.#transaction;
    if (draft.solidly === undefined) transitions.swapV2(draft, swap);
    else swapSolidly(draft, swap, reserves.get(pool));
    reserves.delete(pool);
  }

  /** Mutable state of a pool within the block. */
  #draft(pool: number): PoolDraft {
    let draft = this.#drafts.get(pool);
    if (draft === undefined) {
      const before = this.#memory.states.get(pool) ?? NO_STATE;
      const singleton = before.singleton && { ...before.singleton, logs: [] };
      const algebra = before.algebra && { ...before.algebra };
      const solidly = before.solidly && { ...before.solidly };
      draft = { ...before, singleton, algebra, solidly, high: undefined, low: undefined };
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

  /**
   * Changes the position of the caller, and that of an ERC-721 token of the caller whose id is the salt: position managers
   * mint the token before they add its liquidity. A change of nothing only collects fees.
   */
  #modify(pool: number, change: SingletonChange, slot: number): void {
    const { sender, tickLower, tickUpper, liquidity, salt } = change;
    if (liquidity === 0n) return;
    transitions.changeLiquidity(this.#used(pool), change, slot);
    const none = { pool, tickLower, tickUpper, liquidity: 0n };
    const direct = saltedId(pool, sender, [tickLower, tickUpper], salt);
    const before = this.#memory.position(direct) ?? { ...none, owner: sender.slice() };
    this.#setPosition(direct, { ...before, liquidity: before.liquidity + liquidity });
    const id = managedId(sender, salt);
    const known = this.#memory.position(id);
    if (known !== undefined) {
      if (known.pool === pool) this.#setPosition(id, { ...known, liquidity: known.liquidity + liquidity });
      return;
    }
    const owner = this.#firstOwner(sender, salt);
    if (owner === undefined || liquidity < 0n) return;
    this.#memory.addManager(sender);
    this.#setPosition(id, { ...none, liquidity, owner });
  }

  /** Of a token that the transaction mints. */
  #firstOwner(manager: AddressBytes, tokenId: Bytes): AddressBytes | undefined {
    const token = this.#transaction.minted.findLast(
      ({ log }) => equalBytes(log.address, manager) && equalBytes(fields.readPositionTransfer(log).tokenId, tokenId),
    );
    return token && fields.readPositionTransfer(token.log).to.slice();
  }

  #mint(pool: number, change: LiquidityChange): void {
    transitions.mint(this.#used(pool), change);
    this.#transaction.mints.push({ pool, change });
    this.#changeDirect(pool, change, change.liquidity);
  }

  /** A zero burn only updates owed fees and is no activity. */
  #burn(pool: number, change: LiquidityChange): void {
    if (change.liquidity === 0n) return;
    transitions.burn(this.#used(pool), change);
    this.#changeDirect(pool, change, -change.liquidity);
  }

  #changeDirect(pool: number, { owner, tickLower, tickUpper }: LiquidityChange, by: bigint): void {
    const id = directId(pool, owner, tickLower, tickUpper);
    const before = this.#memory.position(id) ?? { pool, tickLower, tickUpper, liquidity: 0n, owner: owner.slice() };
    this.#setPosition(id, { ...before, liquidity: before.liquidity + by });
  }

  /**
   * A token is a position of the pool whose last Mint for its manager has the same values. Managers make no calls
   * between that Mint and this log, so nothing can interfere.
   */
  #increase(manager: AddressBytes, { tokenId, liquidity, amount0, amount1 }: ManagedChange): boolean {
    const { mints } = this.#transaction;
    const at = mints.findLastIndex(
      ({ change }) =>
        change.liquidity === liquidity &&
        change.amount0 === amount0 &&
        change.amount1 === amount1 &&
        equalBytes(change.owner, manager),
    );
    const [mint] = at < 0 ? [] : mints.splice(at, 1);
    const id = managedId(manager, tokenId);
    const known = this.#memory.position(id);
    if (known !== undefined) {
      this.#setPosition(id, { ...known, liquidity: known.liquidity + liquidity });
      return true;
    }
    if (mint === undefined) return false;
    const { tickLower, tickUpper } = mint.change;
    const owner = this.#firstOwner(manager, tokenId) ?? new Uint8Array(20);
    this.#memory.addManager(manager);
    this.#setPosition(id, { pool: mint.pool, tickLower, tickUpper, liquidity, owner });
    return true;
  }

  #decrease(manager: AddressBytes, { tokenId, liquidity }: ManagedChange): boolean {
    const id = managedId(manager, tokenId);
    const known = this.#memory.position(id);
    if (known === undefined || liquidity === 0n) return known !== undefined;
    this.#setPosition(id, { ...known, liquidity: known.liquidity - liquidity });
    return true;
  }

  #transfer(one: ExchangeLog): boolean {
    const { from, to, tokenId } = fields.readPositionTransfer(one.log);
    if (isZero(from)) this.#transaction.minted.push(one);
    if (!this.#memory.isManager(one.log.address)) return false;
    const id = managedId(one.log.address, tokenId);
    const known = this.#memory.position(id);
    if (known === undefined) return false;
    this.#setPosition(id, { ...known, owner: to.slice() });
    return true;
  }

  #setPosition(id: Bytes, after: Position): void {
    const text = textOf(id);
    const before = this.#positions.has(text) ? this.#positions.get(text)!.before : this.#memory.position(id);
    this.#positions.set(text, { id, before, after });
    this.#memory.positions.set(text, after);
  }
}
