import { uintToBigInt } from "../../../../chain/encoding/uint.ts";
import type { TokenKind } from "../../../../chain/token/tokenTransfer.ts";
import type { Reader } from "../../../engine/database.ts";
import type { AddressId } from "../../../rows/ids.ts";
import { Deposits, MAX_CARRIED, stateOf } from "./depositLedger.ts";
import type { PossibleMint } from "./minting.ts";
import { isErc20Mint } from "./minting.ts";
import type { TokenTables } from "./tokenTables.ts";
import type { ResolvedBlock, ResolvedTransfer } from "./transferIds.ts";
import { ZERO_ADDRESS_ID } from "./transferIds.ts";

/** Facts about a token from one transaction, without wraps. */
export interface TransactionFacts {
  /** Emitted an ERC-20 Transfer. */
  readonly moves: boolean;
  /** Minted a positive amount. */
  readonly mints: boolean;
}

const NO_FACTS: TransactionFacts = { moves: false, mints: false };

/** Accumulates one transfer. */
export function withTransfer(
  { moves, mints }: TransactionFacts = NO_FACTS,
  transfer: PossibleMint,
  isFromZero: boolean,
): TransactionFacts {
  return { moves: moves || transfer.kind === "ERC-20", mints: mints || isErc20Mint(transfer, isFromZero) };
}

/** Wraps are transfers if the token sends by Transfer and does not mint by it. */
export function areTransfers(
  state: { readonly kinds: Iterable<TokenKind>; readonly mints: boolean } | undefined,
  { moves, mints }: TransactionFacts = NO_FACTS,
): boolean {
  const isErc20 = moves || (state !== undefined && [...state.kinds].includes("ERC-20"));
  return isErc20 && !mints && state?.mints !== true;
}

/**
 * Decides per transaction which wraps are transfers. Deposits of contracts that are no token yet are summed apart, and
 * carried over if the contract becomes one.
 */
export class Wraps {
  readonly #tables: TokenTables;
  /** Tokens of this batch with wraps, or with open deposits. */
  readonly #wrappers = new Set<number>();
  #drafts = new Map<number, Deposits>();
  #ended = 0;

  constructor(tables: TokenTables) {
    this.#tables = tables;
  }

  /** Call after tokens are loaded. Returns whether holdings were noted that are not loaded. */
  async load(db: Reader, blocks: readonly ResolvedBlock[]): Promise<boolean> {
    const { tokens, wrappers, holdings } = this.#tables;
    const unknown = new Set<number>();
    const moving = new Set<number>();
    for (const { transfers } of blocks) {
      for (const { token, isWrap } of transfers) {
        if (isWrap) this.#wrappers.add(token);
        if (tokens.get(token) !== undefined) continue;
        unknown.add(token);
        if (!isWrap) moving.add(token);
      }
    }
    await wrappers.load(db, [...unknown]);
    const ending = [...unknown].filter((token) => wrappers.get(token) !== undefined);
    for (const token of ending) {
      this.#wrappers.add(token);
      if (!moving.has(token)) continue;
      for (const address of wrappers.get(token)!.balances.keys()) holdings.note(address, token);
    }
    return ending.length > 0;
  }

  /** No loaded contract has wraps. */
  get isIdle(): boolean {
    return this.#wrappers.size === 0;
  }

  begin(): void {
    this.#ended = 0;
  }

  /** Drops wraps that are no transfers. */
  settle(transfers: readonly ResolvedTransfer[]): readonly ResolvedTransfer[] {
    const wrappers = this.#wrappers;
    if (wrappers.size === 0 || !transfers.some(({ token }) => wrappers.has(token))) return transfers;
    const facts = new Map<number, TransactionFacts>();
    for (const transfer of transfers) {
      const { token, from, isWrap } = transfer;
      if (isWrap || !wrappers.has(token)) continue;
      facts.set(token, withTransfer(facts.get(token), transfer, from === ZERO_ADDRESS_ID));
    }
    for (const [token, fact] of facts) this.#end(token, fact);
    return transfers.filter((transfer) => !transfer.isWrap || this.#isTransfer(transfer, facts.get(transfer.token)));
  }

  #isTransfer(wrap: ResolvedTransfer, facts: TransactionFacts | undefined): boolean {
    const state = this.#tables.tokens.get(wrap.token);
    if (areTransfers(state, facts)) return true;
    if (state === undefined && facts === undefined) this.#deposit(wrap);
    return false;
  }

  #deposit({ token, from, to, amount }: ResolvedTransfer): void {
    const deposits = this.#draft(token);
    if (from !== ZERO_ADDRESS_ID) deposits.add(from, -uintToBigInt(amount));
    if (to !== ZERO_ADDRESS_ID) deposits.add(to, uintToBigInt(amount));
  }

  /** First transfer: earlier deposits are carried over or closed. */
  #end(token: AddressId, { moves, mints }: TransactionFacts): void {
    const { tokens, wrappers, holdings } = this.#tables;
    if (tokens.get(token) !== undefined) return;
    if (wrappers.get(token) === undefined && !this.#drafts.has(token)) return;
    const deposits = this.#draft(token);
    deposits.end(moves && !mints && ++this.#ended <= MAX_CARRIED ? "carried" : "closed");
    const { phase, balances } = deposits.result;
    if (phase !== "carried") return;
    for (const [address, amount] of balances) holdings.move(holdings.note(address, token), amount);
    tokens.set(token, stateOf(deposits.result));
  }

  #draft(token: AddressId): Deposits {
    const draft = this.#drafts.get(token) ?? new Deposits(this.#tables.wrappers.get(token));
    this.#drafts.set(token, draft);
    return draft;
  }

  /** Ends a block. */
  close(): void {
    for (const [token, draft] of this.#drafts) this.#tables.wrappers.set(token, draft.result);
    this.#drafts.clear();
  }
}
