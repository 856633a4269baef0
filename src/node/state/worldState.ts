import type { AccountFields, StateManagerInterface } from "@ethereumjs/common";
import { OriginalStorageCache } from "@ethereumjs/statemanager";
import type { Address } from "@ethereumjs/util";
import { Account, createAccountFromRLP, KECCAK256_NULL, unpadBytes } from "@ethereumjs/util";
import type { Bytes } from "../../chain/encoding/bytes.ts";
import { EMPTY, equalBytes } from "../../chain/encoding/bytes.ts";
import { keccak256 } from "../../chain/hashing/keccak.ts";
import { EMPTY_ROOT } from "../../chain/hashing/trie.ts";
import { defined } from "../../std/values.ts";
import { DELEGATION } from "./delegation.ts";
import { decodeSlot, encodeSlot } from "./slots.ts";
import type { StateNodes } from "./stateNodes.ts";
import { StateTrie } from "./stateTrie.ts";
import { UndoLog } from "./undoLog.ts";

interface Entry {
  /** 40 hex digits. */
  readonly name: string;
  readonly address: Bytes;
  /** Undefined if the account does not exist. */
  account: Account | undefined;
  /** Current values by key; the trie has the rest. */
  slots: Map<string, Bytes>;
  trie: StateTrie | undefined;
}

/**
 * Accounts, code and storage of one state with nested checkpoints. Changes reach the tries when the root is read, so a
 * slot that a block writes often is hashed once.
 */
export class WorldState implements StateManagerInterface {
  readonly originalStorageCache = new OriginalStorageCache((address, key) => this.getStorage(address, key));
  readonly #nodes: StateNodes;
  readonly #entries = new Map<string, Entry>();
  readonly #codes = new Map<string, Bytes>();
  #newCodes = new Map<string, Bytes>();
  #changed = new Map<string, Set<string>>();
  readonly #undo = new UndoLog();
  #disguised: Bytes | undefined;
  #accounts: StateTrie;
  #base: WorldState | undefined;
  #loaded = 0;

  /** `base` is a shared immutable state with the same root, used as a cache. */
  constructor(root: Bytes, nodes: StateNodes, base?: WorldState) {
    this.#nodes = nodes;
    this.#accounts = this.#trie(root);
    this.#base = base;
  }

  /** 40 hex digits. The result must not be modified. */
  accountAt(name: string): Account | undefined {
    return this.#entryNamed(name).account;
  }

  setAccountAt(name: string, account: Account): void {
    this.#setAccount(this.#entryNamed(name), account);
  }

  codeAt(name: string): Bytes {
    return this.#codeOf(this.#entryNamed(name));
  }

  setCodeAt(name: string, code: Bytes): void {
    const entry = this.#entryNamed(name);
    const { nonce, balance, storageRoot } = entry.account ?? new Account();
    this.#setAccount(entry, new Account(nonce, balance, storageRoot, this.#keepCode(code)));
  }

  /** 64 hex digits; the value has no leading zeros. */
  slotAt(name: string, key: string): Bytes {
    return this.#slotOf(this.#entryNamed(name), key);
  }

  setSlotAt(name: string, key: string, value: Bytes): void {
    this.#setSlot(this.#entryNamed(name), key, value);
  }

  clearAt(name: string): void {
    this.#clear(this.#entryNamed(name));
  }

  openCheckpoint(): void {
    this.#undo.open();
  }

  keepCheckpoint(): void {
    if (this.#undo.keep()) this.originalStorageCache.clear();
  }

  takeBackCheckpoint(): void {
    if (this.#undo.takeBack()) this.originalStorageCache.clear();
  }

  async getAccount(address: Address): Promise<Account | undefined> {
    return copyOf(this.#entry(address).account);
  }

  async putAccount(address: Address, account?: Account): Promise<void> {
    this.#setAccount(this.#entry(address), copyOf(account));
  }

  /** Slots are deleted, and restored, with the account. */
  async deleteAccount(address: Address): Promise<void> {
    const entry = this.#entry(address);
    this.#clear(entry);
    this.#setAccount(entry, undefined);
  }

  async modifyAccountFields(address: Address, fields: AccountFields): Promise<void> {
    const account = (await this.getAccount(address)) ?? new Account();
    account.nonce = fields.nonce ?? account.nonce;
    account.balance = fields.balance ?? account.balance;
    account.storageRoot = fields.storageRoot ?? account.storageRoot;
    account.codeHash = fields.codeHash ?? account.codeHash;
    await this.putAccount(address, account);
  }

  async putCode(address: Address, code: Bytes): Promise<void> {
    await this.modifyAccountFields(address, { codeHash: this.#keepCode(code) });
  }

  /** The next code read of this account returns its delegation (EIP-7702); undefined cancels. */
  disguise(address: Address | undefined): void {
    this.#disguised = address?.bytes;
  }

  async getCode(address: Address): Promise<Bytes> {
    if (this.#disguised !== undefined && equalBytes(this.#disguised, address.bytes)) {
      this.#disguised = undefined;
      return DELEGATION;
    }
    return this.#codeOf(this.#entry(address));
  }

  async getCodeSize(address: Address): Promise<number> {
    return (await this.getCode(address)).length;
  }

  async getStorage(address: Address, key: Bytes): Promise<Bytes> {
    return this.#slotOf(this.#entry(address), nameOf(key));
  }

  async putStorage(address: Address, key: Bytes, value: Bytes): Promise<void> {
    this.#setSlot(this.#entry(address), nameOf(key), unpadBytes(value));
  }

  async clearStorage(address: Address): Promise<void> {
    this.#clear(this.#entry(address));
  }

  async checkpoint(): Promise<void> {
    this.openCheckpoint();
  }

  async commit(): Promise<void> {
    this.keepCheckpoint();
  }

  async revert(): Promise<void> {
    this.takeBackCheckpoint();
  }

  /** Writes all changes into the tries. */
  async getStateRoot(): Promise<Bytes> {
    for (const [name, slots] of this.#changed) this.#writeAccount(defined(this.#entries.get(name)), slots);
    this.#changed = new Map();
    for (const [hash, code] of this.#newCodes) this.#nodes.keepCode(hash, code);
    this.#newCodes = new Map();
    return this.#accounts.write((hash, rlp) => this.#nodes.keep(hash, rlp));
  }

  async setStateRoot(root: Bytes): Promise<void> {
    this.clearCaches();
    this.#base = undefined;
    this.#accounts = this.#trie(root);
  }

  async hasStateRoot(root: Bytes): Promise<boolean> {
    return equalBytes(root, EMPTY_ROOT) || this.#nodes.find(root) !== undefined;
  }

  getAppliedKey(address: Bytes): Bytes {
    return keccak256(address);
  }

  /** Number of cached accounts and slots. */
  get size(): number {
    return this.#loaded;
  }

  /** Drops caches and changes since the last root. */
  clearCaches(): void {
    this.#entries.clear();
    this.#codes.clear();
    this.#newCodes.clear();
    this.#changed.clear();
    this.#undo.clear();
    this.originalStorageCache.clear();
  }

  shallowCopy(): WorldState {
    throw new Error("a state is not copied: open another at its root");
  }

  #writeAccount(entry: Entry, slots: ReadonlySet<string>): void {
    const { account } = entry;
    // Slots of a reverted creation must not reappear when it is created again.
    const root = slots.size > 0 || entry.trie !== undefined ? this.#writeSlots(entry, slots) : undefined;
    if (account === undefined) {
      this.#accounts.delete(entry.address);
      return;
    }
    if (root !== undefined && !equalBytes(root, account.storageRoot)) {
      entry.account = new Account(account.nonce, account.balance, root, account.codeHash);
    }
    if (this.#accounts.put(entry.address, defined(entry.account).serialize())) this.#nodes.keepPreimage(entry.address);
  }

  #writeSlots(entry: Entry, names: ReadonlySet<string>): Bytes {
    const trie = this.#storage(entry);
    for (const name of names) {
      const key = Buffer.from(name, "hex");
      const value = entry.slots.get(name);
      if (value === undefined) continue;
      if (value.length === 0) trie.delete(key);
      else if (trie.put(key, encodeSlot(value))) this.#nodes.keepPreimage(key);
    }
    return trie.write((hash, rlp) => this.#nodes.keep(hash, rlp));
  }

  #entry({ bytes }: Address): Entry {
    return this.#entryNamed(nameOf(bytes));
  }

  #entryNamed(name: string): Entry {
    let entry = this.#entries.get(name);
    if (entry === undefined) {
      const address = Buffer.from(name, "hex");
      const account = this.#base === undefined ? this.#findAccount(address) : this.#base.accountAt(name);
      entry = { name, address, account, slots: new Map(), trie: undefined };
      this.#entries.set(name, entry);
      this.#loaded++;
    }
    return entry;
  }

  #findAccount(address: Bytes): Account | undefined {
    const rlp = this.#accounts.get(address);
    return rlp && createAccountFromRLP(rlp);
  }

  #codeOf({ account }: Entry): Bytes {
    const codeHash = account?.codeHash ?? KECCAK256_NULL;
    if (equalBytes(codeHash, KECCAK256_NULL)) return EMPTY;
    const name = nameOf(codeHash);
    let code = this.#codes.get(name) ?? this.#newCodes.get(name);
    if (code === undefined) {
      code = this.#nodes.code(codeHash) ?? EMPTY;
      this.#codes.set(name, code);
    }
    return code;
  }

  /** Returns the code hash. */
  #keepCode(code: Bytes): Bytes {
    const codeHash = keccak256(code);
    if (code.length > 0) this.#newCodes.set(nameOf(codeHash), code);
    return codeHash;
  }

  #slotOf(entry: Entry, key: string): Bytes {
    let value = entry.slots.get(key);
    if (value === undefined) {
      value = this.#findSlot(entry, key);
      entry.slots.set(key, value);
      this.#loaded++;
    }
    return value;
  }

  #findSlot(entry: Entry, key: string): Bytes {
    if (entry.account === undefined) return EMPTY;
    // Accounts with written storage have their own trie.
    if (entry.trie === undefined && this.#base !== undefined) return this.#base.slotAt(entry.name, key);
    const found = this.#storage(entry).get(Buffer.from(key, "hex"));
    return found === undefined ? EMPTY : decodeSlot(found);
  }

  #setSlot(entry: Entry, key: string, value: Bytes): void {
    if (entry.account === undefined) throw new Error("there is no account to put a slot into");
    const before = this.#slotOf(entry, key);
    const { slots } = entry;
    slots.set(key, value);
    this.#change(entry).add(key);
    this.#undo.record(() => {
      slots.set(key, before);
      this.#change(entry).add(key);
    });
  }

  #storage(entry: Entry): StateTrie {
    entry.trie ??= this.#trie(entry.account?.storageRoot ?? EMPTY_ROOT);
    return entry.trie;
  }

  #setAccount(entry: Entry, account: Account | undefined): void {
    const before = entry.account;
    entry.account = account;
    this.#change(entry);
    this.#undo.record(() => {
      entry.account = before;
      this.#change(entry);
    });
  }

  #clear(entry: Entry): void {
    if (entry.slots.size === 0 && entry.trie === undefined && isStorageEmpty(entry.account)) return;
    const { slots } = entry;
    const trie = this.#storage(entry);
    const changes = this.#change(entry);
    const names = [...changes];
    changes.clear();
    entry.slots = new Map();
    entry.trie = this.#trie(EMPTY_ROOT);
    this.#undo.record(() => {
      entry.slots = slots;
      entry.trie = trie;
      const changed = this.#change(entry);
      for (const name of names) changed.add(name);
    });
  }

  #change({ name }: Entry): Set<string> {
    let slots = this.#changed.get(name);
    if (slots === undefined) {
      slots = new Set();
      this.#changed.set(name, slots);
    }
    return slots;
  }

  #trie(root: Bytes): StateTrie {
    return new StateTrie(root, (hash) => this.#nodes.find(hash));
  }
}

function isStorageEmpty(account: Account | undefined): boolean {
  return account === undefined || equalBytes(account.storageRoot, EMPTY_ROOT);
}

/** The library modifies accounts it is given. */
function copyOf(account: Account | undefined): Account | undefined {
  return account && new Account(account.nonce, account.balance, account.storageRoot, account.codeHash);
}

function nameOf(bytes: Bytes): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("hex");
}
