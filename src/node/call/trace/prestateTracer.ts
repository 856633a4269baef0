import { Address, generateAddress, generateAddress2, setLengthLeft } from "@ethereumjs/util";
import type { Bytes } from "../../../chain/encoding/bytes.ts";
import { equalBytes, isZero } from "../../../chain/encoding/bytes.ts";
import type { Hex } from "../../../chain/encoding/hex.ts";
import { fromHex, quantity, toHex } from "../../../chain/encoding/hex.ts";
import { uintFromBigInt } from "../../../chain/encoding/uint.ts";
import { defined, itemAt } from "../../../std/values.ts";
import type { RunState } from "../../machine/instructions.ts";
import { delegationOf } from "../../state/delegation.ts";
import type { WorldState } from "../../state/worldState.ts";
import { authorities } from "../authorizations.ts";
import { addressOf } from "./observe.ts";
import type { Beginning, Step, Tracer } from "./tracer.ts";

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
  readonly storage: Map<Hex, Bytes>;
}

const SLOTS = new Set([0x54, 0x55]);
const ACCOUNTS = new Set([0x31, 0x3b, 0x3c, 0x3f, 0xff]);
const CALLS = new Set([0xf1, 0xf2, 0xf4, 0xfa]);
const CREATE = 0xf0;
const CREATE2 = 0xf5;

export class PrestateTracer implements Tracer {
  readonly opcodes = new Set([...SLOTS, ...ACCOUNTS, ...CALLS, CREATE, CREATE2]);
  readonly #options: PrestateOptions;
  readonly #before = new Map<Hex, AccountState>();
  #state!: WorldState;
  #result: unknown;

  constructor(options: PrestateOptions) {
    this.#options = options;
  }

  async begin({ message, state, coinbase }: Beginning): Promise<void> {
    this.#state = state;
    await this.#touch(message.from);
    await this.#touch(message.to ?? (await this.#nextAddress(message.from)));
    await this.#touch(coinbase);
    if (message.to !== undefined) await this.#touchDelegate(message.to);
    for await (const { authority } of authorities(message, this.#options.chainId)) await this.#touch(authority);
  }

  async step({ opcode, runState, error }: Step): Promise<void> {
    if (error !== undefined) return;
    const { stack, env } = runState;
    if (SLOTS.has(opcode)) return this.#touchSlot(env.address, wordBytes(itemAt(stack.peek(1), 0)));
    if (ACCOUNTS.has(opcode)) return this.#touch(addressOf(itemAt(stack.peek(1), 0)));
    if (CALLS.has(opcode)) {
      const target = addressOf(itemAt(stack.peek(2), 1));
      await this.#touch(target);
      return this.#touchDelegate(target);
    }
    return this.#touch(opcode === CREATE ? await this.#nextAddress(env.address) : create2Address(runState));
  }

  async end(): Promise<void> {
    const { diffMode, includeEmpty } = this.#options;
    const after = diffMode ? await this.#changes() : {};
    const kept = [...this.#before].filter(([, account]) => includeEmpty || exists(account));
    const before = Object.fromEntries(kept.map(([address, account]) => [address, this.#present(account)]));
    this.#result = diffMode ? { post: after, pre: before } : before;
  }

  result(): unknown {
    return this.#result;
  }

  async #touch(address: Address): Promise<void> {
    const key = toHex(address.bytes);
    if (!this.#before.has(key)) this.#before.set(key, await this.#read(address));
  }

  async #touchDelegate(address: Address): Promise<void> {
    const target = delegationOf(await this.#state.getCode(address));
    if (target !== undefined) await this.#touch(new Address(target));
  }

  async #touchSlot(address: Address, slot: Bytes): Promise<void> {
    if (this.#options.disableStorage) return;
    await this.#touch(address);
    const { storage } = defined(this.#before.get(toHex(address.bytes)));
    const key = toHex(slot);
    if (!storage.has(key)) storage.set(key, await this.#slot(address, slot));
  }

  async #read(address: Address): Promise<AccountState> {
    const account = await this.#state.getAccount(address);
    const code = account === undefined ? new Uint8Array(0) : await this.#state.getCode(address);
    return { balance: account?.balance ?? 0n, nonce: account?.nonce ?? 0n, code, storage: new Map() };
  }

  async #slot(address: Address, slot: Bytes): Promise<Bytes> {
    return setLengthLeft(await this.#state.getStorage(address, slot), 32);
  }

  async #nextAddress(creator: Address): Promise<Address> {
    const nonce = (await this.#state.getAccount(creator))?.nonce ?? 0n;
    return new Address(generateAddress(creator.bytes, uintFromBigInt(nonce)));
  }

  /** Diff mode: only changed accounts. */
  async #changes(): Promise<Record<Hex, unknown>> {
    const changes: Record<Hex, unknown> = {};
    for (const [key, before] of this.#before) {
      const address = new Address(fromHex(key));
      const isGone = exists(before) && (await this.#state.getAccount(address)) === undefined;
      const change = isGone ? undefined : await this.#change(address, before);
      if (change !== undefined) changes[key] = change;
      else if (!isGone) this.#before.delete(key);
    }
    return changes;
  }

  async #change(address: Address, before: AccountState): Promise<unknown> {
    const now = await this.#read(address);
    const change: Record<string, unknown> = {};
    if (now.balance !== before.balance) change.balance = quantity(now.balance);
    const isNewCode = !equalBytes(now.code, before.code);
    if (isNewCode && !this.#options.disableCode) change.code = toHex(now.code);
    if (now.nonce !== before.nonce) change.nonce = Number(now.nonce);
    const { storage, isModified } = await this.#changedSlots(address, before);
    if (Object.keys(storage).length > 0) change.storage = storage;
    return Object.keys(change).length > 0 || isModified || isNewCode ? change : undefined;
  }

  async #changedSlots(address: Address, { storage }: AccountState) {
    const changed: Record<Hex, Hex> = {};
    let isModified = false;
    for (const [key, before] of storage) {
      const now = await this.#slot(address, fromHex(key));
      const isSame = equalBytes(now, before);
      if (isSame || isZero(before)) storage.delete(key);
      if (isSame) continue;
      isModified = true;
      if (!isZero(now)) changed[key] = toHex(now);
    }
    return { storage: changed, isModified };
  }

  #present({ balance, code, nonce, storage }: AccountState): unknown {
    const hasCode = code.length > 0 && !this.#options.disableCode;
    return {
      balance: quantity(balance),
      ...(hasCode && { code: toHex(code) }),
      ...(nonce > 0n && { nonce: Number(nonce) }),
      ...(storage.size > 0 && { storage: Object.fromEntries([...storage].map(([key, value]) => [key, toHex(value)])) }),
    };
  }
}

function exists({ balance, nonce, code }: AccountState): boolean {
  return balance > 0n || nonce > 0n || code.length > 0;
}

function create2Address({ stack, memory, env }: RunState): Address {
  const [, offset = 0n, length = 0n, salt = 0n] = stack.peek(4);
  const initCode = length === 0n ? new Uint8Array(0) : memory.read(Number(offset), Number(length));
  return new Address(generateAddress2(env.address.bytes, wordBytes(salt), initCode));
}

function wordBytes(word: bigint): Bytes {
  return setLengthLeft(uintFromBigInt(word), 32);
}
