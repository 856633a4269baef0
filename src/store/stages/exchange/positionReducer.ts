import type { AddressBytes, Bytes } from "../../../chain/encoding/bytes.ts";
import { equalBytes, isZero } from "../../../chain/encoding/bytes.ts";
import type { ManagedChange } from "../../../chain/exchange/exchangeFields.ts";
import * as fields from "../../../chain/exchange/exchangeFields.ts";
import type { ExchangeLog } from "../../../chain/exchange/exchangeLog.ts";
import type { SingletonChange } from "../../../chain/exchange/singleton.ts";
import type { ExchangeMemory } from "./exchangeMemory.ts";
import { textOf } from "./exchangeMemory.ts";
import type { Position, PositionEvent } from "./position.ts";
import { directId, managedId, NO_EVENTS, saltedId, withEvent } from "./position.ts";
import type { LoggedChange, TransactionContext } from "./transactionContext.ts";

export interface PositionChange {
  readonly id: Bytes;
  readonly before: Position | undefined;
  readonly after: Position;
}

/** Positions that a block changes. */
export class PositionReducer {
  readonly #memory: ExchangeMemory;
  readonly #changes = new Map<string, PositionChange>();

  constructor(memory: ExchangeMemory) {
    this.#memory = memory;
  }

  get changes(): PositionChange[] {
    return [...this.#changes.values()];
  }

  /**
   * Changes the position of the caller, and that of an ERC-721 token of the caller whose id is the salt: position managers
   * mint the token before they add its liquidity.
   */
  modify(
    { minted }: TransactionContext,
    pool: number,
    { sender, tickLower, tickUpper, liquidity, salt }: SingletonChange,
    { slot, amounts: [amount0, amount1] }: Pick<PositionEvent, "slot" | "amounts">,
  ): void {
    const [kind, sign] = liquidity > 0n ? (["mint", 1n] as const) : (["burn", -1n] as const);
    const event: PositionEvent = { kind, slot, amounts: [sign * amount0, sign * amount1] };
    const grown = (position: Position) => ({ ...position, liquidity: position.liquidity + liquidity });
    const none = { pool, tickLower, tickUpper, liquidity: 0n, ...NO_EVENTS };
    const direct = saltedId(pool, sender, [tickLower, tickUpper], salt);
    this.#set(direct, withEvent(grown(this.#at(direct) ?? { ...none, owner: sender.slice() }), event));
    const id = managedId(sender, salt);
    const known = this.#at(id);
    if (known !== undefined) {
      const isOwn = known.tickLower === tickLower && known.tickUpper === tickUpper;
      if (known.pool === pool) this.#set(id, isOwn ? withEvent(grown(known), event) : grown(known));
      return;
    }
    const owner = firstOwner(minted, sender, salt);
    if (owner === undefined || liquidity < 0n) return;
    this.#memory.addManager(sender);
    this.#set(id, withEvent(grown({ ...none, owner }), event));
  }

  mint({ mints }: TransactionContext, one: LoggedChange): void {
    mints.push(one);
    this.#changeDirect("mint", one, one.change.liquidity);
  }

  burn({ burns }: TransactionContext, one: LoggedChange): void {
    burns.push(one);
    this.#changeDirect("burn", one, -one.change.liquidity);
  }

  collect({ collects }: TransactionContext, one: LoggedChange): void {
    const { amount0, amount1 } = one.change;
    if (amount0 === 0n && amount1 === 0n) return;
    collects.push(one);
    const id = directIdOf(one);
    const known = this.#at(id);
    if (known !== undefined) this.#set(id, withEvent(known, eventOf("collect", one)));
  }

  #changeDirect(kind: PositionEvent["kind"], one: LoggedChange, by: bigint): void {
    const { owner, tickLower, tickUpper } = one.change;
    const id = directIdOf(one);
    const none = { pool: one.pool, tickLower, tickUpper, liquidity: 0n, ...NO_EVENTS };
    const before = this.#at(id) ?? { ...none, owner: owner.slice() };
    this.#set(id, withEvent({ ...before, liquidity: before.liquidity + by }, eventOf(kind, one)));
  }

  /**
   * A token is a position of the pool whose last Mint for its manager has the same values. Managers make no calls
   * between that Mint and this log, so nothing can interfere.
   */
  increase(
    { mints, minted }: TransactionContext,
    manager: AddressBytes,
    { tokenId, liquidity, amount0, amount1 }: ManagedChange,
  ): boolean {
    const mint = take(
      mints,
      ({ change }) =>
        change.liquidity === liquidity &&
        change.amount0 === amount0 &&
        change.amount1 === amount1 &&
        equalBytes(change.owner, manager),
    );
    const id = managedId(manager, tokenId);
    const known = this.#at(id);
    if (known !== undefined) {
      const after = { ...known, liquidity: known.liquidity + liquidity };
      const isOwn = mint !== undefined && isOf(known, mint);
      this.#set(id, isOwn ? withEvent(after, eventOf("mint", mint)) : after);
      return true;
    }
    if (mint === undefined) return false;
    const { tickLower, tickUpper } = mint.change;
    const owner = firstOwner(minted, manager, tokenId) ?? new Uint8Array(20);
    this.#memory.addManager(manager);
    const position = { pool: mint.pool, tickLower, tickUpper, liquidity, owner, ...NO_EVENTS };
    this.#set(id, withEvent(position, eventOf("mint", mint)));
    return true;
  }

  decrease(
    { burns }: TransactionContext,
    manager: AddressBytes,
    { tokenId, liquidity }: Pick<ManagedChange, "tokenId" | "liquidity">,
  ): boolean {
    const id = managedId(manager, tokenId);
    const known = this.#at(id);
    if (known === undefined || liquidity === 0n) return known !== undefined;
    const after = { ...known, liquidity: known.liquidity - liquidity };
    const isOwn = (one: LoggedChange) =>
      isOf(known, one) && one.change.liquidity === liquidity && equalBytes(one.change.owner, manager);
    const burn = take(burns, isOwn);
    this.#set(id, burn === undefined ? after : withEvent(after, eventOf("burn", burn)));
    return true;
  }

  /** What the pool paid counts: a manager logs what it asked for. */
  collectToken({ collects }: TransactionContext, manager: AddressBytes, tokenId: Bytes): boolean {
    const id = managedId(manager, tokenId);
    const known = this.#at(id);
    if (known === undefined) return false;
    const collect = take(collects, (one) => isOf(known, one) && equalBytes(one.change.owner, manager));
    if (collect !== undefined) this.#set(id, withEvent(known, eventOf("collect", collect)));
    return collect !== undefined;
  }

  transfer({ minted }: TransactionContext, one: ExchangeLog): boolean {
    const { from, to, tokenId } = fields.readPositionTransfer(one.log);
    if (isZero(from)) minted.push(one);
    if (!this.#memory.isManager(one.log.address)) return false;
    const id = managedId(one.log.address, tokenId);
    const known = this.#at(id);
    if (known === undefined) return false;
    const isHandedOn = !isZero(from) && !isZero(to) && !equalBytes(from, to);
    this.#set(id, { ...known, owner: to.slice(), transfers: known.transfers + (isHandedOn ? 1 : 0) });
    return true;
  }

  /** Without events of blocks before. */
  #at(id: Bytes): Position | undefined {
    const known = this.#memory.position(id);
    return known === undefined || this.#changes.has(textOf(id)) ? known : { ...known, last: [] };
  }

  #set(id: Bytes, after: Position): void {
    const text = textOf(id);
    const before = this.#changes.has(text) ? this.#changes.get(text)!.before : this.#memory.position(id);
    this.#changes.set(text, { id, before, after });
    this.#memory.positions.set(text, after);
  }
}

/** Of a token that the transaction mints. */
function firstOwner(minted: readonly ExchangeLog[], manager: AddressBytes, tokenId: Bytes): AddressBytes | undefined {
  const token = minted.findLast(
    ({ log }) => equalBytes(log.address, manager) && equalBytes(fields.readPositionTransfer(log).tokenId, tokenId),
  );
  return token && fields.readPositionTransfer(token.log).to.slice();
}

const directIdOf = ({ pool, change }: LoggedChange): Bytes =>
  directId(pool, change.owner, change.tickLower, change.tickUpper);

const isOf = ({ pool, tickLower, tickUpper }: Position, { pool: at, change }: LoggedChange): boolean =>
  at === pool && change.tickLower === tickLower && change.tickUpper === tickUpper;

/** The last that matches, which no token can claim again. */
function take(logged: LoggedChange[], matches: (one: LoggedChange) => boolean): LoggedChange | undefined {
  const at = logged.findLastIndex(matches);
  return at < 0 ? undefined : logged.splice(at, 1)[0];
}

function eventOf(kind: PositionEvent["kind"], { change, slot }: LoggedChange): PositionEvent {
  return { kind, slot, amounts: [change.amount0, change.amount1] };
}
