import { generateAddress, generateAddress2, setLengthLeft } from "@ethereumjs/util";
import type { Bytes } from "../../../chain/encoding/bytes.ts";
import { EMPTY, equalBytes, isZero } from "../../../chain/encoding/bytes.ts";
import type { Hex } from "../../../chain/encoding/hex.ts";
import { quantity, toHex } from "../../../chain/encoding/hex.ts";
import { uintFromBigInt } from "../../../chain/encoding/uint.ts";
import { defined } from "../../../std/values.ts";
import { addressName, slotName, wordBytes } from "../../evm/word.ts";
import { delegationOf } from "../../state/delegation.ts";
import type { WorldState } from "../../state/worldState.ts";
import { authorities } from "../authorizations.ts";
import type { Beginning, Scope, Step, Tracer } from "./tracer.ts";
import { TraceSize } from "./traceSize.ts";

interface PrestateOptions {
  readonly diffMode: boolean;
  readonly disableCode: boolean;
  readonly disableStorage: boolean;
  readonly includeEmpty: boolean;
  readonly chainId: bigint;
}

interface AccountState {
  readonly balance: bigint;
  readonly nonce: bigint;
  readonly code: Bytes;
  readonly storage: Map<string, Bytes>;
}

const SLOTS = new Set([0x54, 0x55]);
const ACCOUNTS = new Set([0x31, 0x3b, 0x3c, 0x3f, 0xff]);
const CALLS = new Set([0xf1, 0xf2, 0xf4, 0xfa]);
const CREATE = 0xf0;
const CREATE2 = 0xf5;

const ACCOUNT_CHARACTERS = 100;
const SLOT_CHARACTERS = 140;

/** Work of reading an account or a slot. */
const READ_WORK = 40;
const HASHED_PER_WORK = 8;

/** Accounts are named by 40 hex digits, slots by 64. */
export class PrestateTracer implements Tracer {
  readonly opcodes = new Set([...SLOTS, ...ACCOUNTS, ...CALLS, CREATE, CREATE2]);
  readonly #options: PrestateOptions;
  readonly #before = new Map<string, AccountState>();
  readonly #size = new TraceSize();
  #state!: WorldState;
  #result: unknown;

  constructor(options: PrestateOptions) {
    this.#options = options;
  }

  async begin({ message, state, coinbase }: Beginning): Promise<void> {
    this.#state = state;
    const from = nameOf(message.from.bytes);
    this.#touch(from);
    this.#touch(message.to === undefined ? this.#nextAddress(from) : nameOf(message.to.bytes));
    this.#touch(nameOf(coinbase.bytes));
    if (message.to !== undefined) this.#touchDelegate(nameOf(message.to.bytes));
    for await (const { authority } of authorities(message, this.#options.chainId)) {
      this.#touch(nameOf(authority.bytes));
    }
  }

  step({ opcode, scope, error }: Step): number {
    if (error !== undefined) return 1;
    if (SLOTS.has(opcode)) this.#touchSlot(scope.address, slotName(scope.peek(0)));
    else if (ACCOUNTS.has(opcode)) this.#touch(addressName(scope.peek(0)));
    else if (CALLS.has(opcode)) {
      const target = addressName(scope.peek(1));
      this.#touch(target);
      this.#touchDelegate(target);
    } else if (opcode === CREATE) this.#touch(this.#nextAddress(scope.address));
    else {
      this.#touch(create2Address(scope));
      return READ_WORK + Number(scope.peek(2)) / HASHED_PER_WORK;
    }
    return READ_WORK;
  }

  async end(): Promise<void> {
    const { diffMode, includeEmpty } = this.#options;
    const after = diffMode ? this.#changes() : {};
    const kept = [...this.#before].filter(([, account]) => includeEmpty || exists(account));
    const before = Object.fromEntries(kept.map(([name, account]) => [`0x${name}`, this.#present(account)]));
    this.#result = diffMode ? { post: after, pre: before } : before;
  }

  result(): unknown {
    return this.#result;
  }

  #touch(name: string): void {
    if (this.#before.has(name)) return;
    const account = this.#read(name);
    this.#size.add(ACCOUNT_CHARACTERS + 2 * account.code.length);
    this.#before.set(name, account);
  }

  #touchDelegate(name: string): void {
    const target = delegationOf(this.#state.codeAt(name));
    if (target !== undefined) this.#touch(nameOf(target));
  }

  #touchSlot(name: string, slot: string): void {
    if (this.#options.disableStorage) return;
    this.#touch(name);
    const { storage } = defined(this.#before.get(name));
    if (storage.has(slot)) return;
    this.#size.add(SLOT_CHARACTERS);
    storage.set(slot, this.#slot(name, slot));
  }

  #read(name: string): AccountState {
    const account = this.#state.accountAt(name);
    const code = account === undefined ? EMPTY : this.#state.codeAt(name);
    return { balance: account?.balance ?? 0n, nonce: account?.nonce ?? 0n, code, storage: new Map() };
  }

  #slot(name: string, slot: string): Bytes {
    return setLengthLeft(this.#state.slotAt(name, slot), 32);
  }

  #nextAddress(creator: string): string {
    const nonce = this.#state.accountAt(creator)?.nonce ?? 0n;
    return nameOf(generateAddress(Buffer.from(creator, "hex"), uintFromBigInt(nonce)));
  }

  /** Diff mode: only changed accounts. */
  #changes(): Record<Hex, unknown> {
    const changes: Record<Hex, unknown> = {};
    for (const [name, before] of this.#before) {
      const isGone = exists(before) && this.#state.accountAt(name) === undefined;
      const change = isGone ? undefined : this.#change(name, before);
      if (change !== undefined) changes[`0x${name}`] = change;
      else if (!isGone) this.#before.delete(name);
    }
    return changes;
  }

  #change(name: string, before: AccountState): unknown {
    const now = this.#read(name);
    const change: Record<string, unknown> = {};
    if (now.balance !== before.balance) change.balance = quantity(now.balance);
    const isNewCode = !equalBytes(now.code, before.code);
    if (isNewCode && !this.#options.disableCode) change.code = toHex(now.code);
    if (now.nonce !== before.nonce) change.nonce = Number(now.nonce);
    const { storage, isModified } = this.#changedSlots(name, before);
    if (Object.keys(storage).length > 0) change.storage = storage;
    return Object.keys(change).length > 0 || isModified || isNewCode ? change : undefined;
  }

  #changedSlots(name: string, { storage }: AccountState) {
    const changed: Record<Hex, Hex> = {};
    let isModified = false;
    for (const [slot, before] of storage) {
      const now = this.#slot(name, slot);
      const isSame = equalBytes(now, before);
      if (isSame || isZero(before)) storage.delete(slot);
      if (isSame) continue;
      isModified = true;
      if (!isZero(now)) changed[`0x${slot}`] = toHex(now);
    }
    return { storage: changed, isModified };
  }

  #present({ balance, code, nonce, storage }: AccountState): unknown {
    const hasCode = code.length > 0 && !this.#options.disableCode;
    return {
      balance: quantity(balance),
      ...(hasCode && { code: toHex(code) }),
      ...(nonce > 0n && { nonce: Number(nonce) }),
      ...(storage.size > 0 && {
        storage: Object.fromEntries([...storage].map(([slot, value]) => [`0x${slot}`, toHex(value)])),
      }),
    };
  }
}

function exists({ balance, nonce, code }: AccountState): boolean {
  return balance > 0n || nonce > 0n || code.length > 0;
}

function create2Address(scope: Scope): string {
  const [offset, length] = [Number(scope.peek(1)), Number(scope.peek(2))];
  const creator = Buffer.from(scope.address, "hex");
  return nameOf(generateAddress2(creator, wordBytes(scope.peek(3)), scope.memory(offset, length)));
}

function nameOf(bytes: Bytes): string {
  return Buffer.from(bytes).toString("hex");
}
