import { Account, Address } from "@ethereumjs/util";
import type { Block } from "../../chain/block/block.ts";
import type { Bytes } from "../../chain/encoding/bytes.ts";
import type { Hex } from "../../chain/encoding/hex.ts";
import { fromHex, toHex } from "../../chain/encoding/hex.ts";
import { uintToBigInt } from "../../chain/encoding/uint.ts";
import { checkSidecar } from "../blobs/checkSidecar.ts";
import { decodeSidecar, encodeSidecar } from "../blobs/encodeSidecar.ts";
import type { KzgVerifier } from "../blobs/verifySidecar.ts";
import { verifySidecar } from "../blobs/verifySidecar.ts";
import { decodeSigned } from "../block/toTransaction.ts";
import type { Chain } from "../chain.ts";
import type { PoolContent, WaitingTransactions } from "../context.ts";
import { checkFunds, checkTransaction, costOf } from "./checkTransaction.ts";
import type { SentTransaction } from "./decodeRawTransaction.ts";
import { decodeSent, maxBlobs, refuse } from "./decodeRawTransaction.ts";
import { expectHigherBid } from "./replacement.ts";
import { Selection } from "./selection.ts";

/** A transaction that waits, and when it came. */
export interface Waiting extends SentTransaction {
  readonly arrival: number;
}

export interface PoolOptions {
  readonly chain: Chain;
  readonly kzg: KzgVerifier;
  /** Whether blobs may come with a proof for each cell (EIP-7594) instead of the original one for each blob. */
  readonly acceptsCellProofs: boolean;
}

const MOST_WAITING = 10_000;
const MOST_OF_ONE_SENDER = 1024;
const MOST_BLOB_TRANSACTIONS_OF_ONE_SENDER = 16;

/** The transactions that wait to be mined, by sender and nonce. */
export class Pool implements WaitingTransactions {
  readonly #chain: Chain;
  readonly #kzg: KzgVerifier;
  readonly #acceptsCellProofs: boolean;
  readonly #byHash = new Map<string, Waiting>();
  readonly #bySender = new Map<string, Map<bigint, Waiting>>();
  readonly #nonces = new Map<string, bigint>();
  readonly #turns = new Map<string, Promise<void>>();
  readonly #watchers = new Set<(hash: Bytes) => void>();
  #arrivals = 0;

  constructor({ chain, kzg, acceptsCellProofs }: PoolOptions) {
    this.#chain = chain;
    this.#kzg = kzg;
    this.#acceptsCellProofs = acceptsCellProofs;
  }

  /** Takes up what waited when the process ended; what can no longer be mined is dropped. */
  async restore(): Promise<void> {
    const rules = this.#nextRules();
    const { database } = this.#chain;
    const rows = database.waiting();
    for (const { arrival, sender, raw, sidecar } of rows) {
      const signed = decodeSigned(raw, rules, sender);
      const waiting = { ...signed, arrival, ...(sidecar && { sidecar: decodeSidecar(sidecar) }) };
      this.#arrivals = Math.max(this.#arrivals, arrival);
      this.#put(waiting);
    }
    await this.review();
    if (this.size !== rows.length) database.transaction(() => this.write(this.all()));
  }

  /** Checks a transaction as it was sent and lets it wait; answers its hash, or throws why not in geth's words. */
  async addRaw(bytes: Bytes): Promise<Bytes> {
    const tx = decodeSent(bytes, this.#nextRules(), this.#acceptsCellProofs);
    await this.add(tx);
    return tx.transaction.hash;
  }

  async add(tx: SentTransaction): Promise<void> {
    this.#expectNew(tx);
    checkTransaction(tx, this.#chain.head.header, this.#nextRules());
    if (tx.transaction.type === 3) await this.#checkBlobs(tx);
    await this.#withAccount(tx.transaction.from, (account) => this.#admit(tx, account ?? new Account()));
    for (const watch of this.#watchers) watch(tx.transaction.hash);
  }

  #expectNew({ transaction }: SentTransaction): void {
    if (this.#byHash.has(toHex(transaction.hash))) throw refuse("already known");
  }

  /** Lets those who send for an account and need its next nonce do so one after the other. */
  async inTurn<T>(sender: Bytes, send: () => Promise<T>): Promise<T> {
    const key = toHex(sender);
    const sending = (this.#turns.get(key) ?? Promise.resolve()).then(send);
    const turn = sending.then(
      () => {},
      () => {},
    );
    this.#turns.set(key, turn);
    try {
      return await sending;
    } finally {
      if (this.#turns.get(key) === turn) this.#turns.delete(key);
    }
  }

  /** Tells of every transaction that begins to wait, until the answered function is called. */
  watch(watcher: (hash: Bytes) => void): () => void {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  }

  async #checkBlobs(tx: SentTransaction): Promise<void> {
    const { sidecar } = tx;
    checkSidecar(tx.transaction.blobVersionedHashes ?? [], sidecar, { maxBlobs: maxBlobs(this.#nextRules()) });
    await verifySidecar(this.#kzg, sidecar);
  }

  /** Checks it against the account and what else waits, and puts it there in one go: others may be on their way too. */
  #admit(tx: SentTransaction, { nonce: next, balance }: Account): void {
    const { from } = tx.transaction;
    const { nonce } = tx.runnable;
    this.#expectNew(tx);
    if (nonce < next) throw refuse(`nonce too low: next nonce ${next}, tx nonce ${nonce}`);
    const mine = this.#bySender.get(toHex(from)) ?? new Map<bigint, Waiting>();
    const replaced = mine.get(nonce);
    let queued = 0n;
    for (const waiting of mine.values()) if (waiting !== replaced) queued += costOf(waiting);
    checkFunds(tx, balance, queued);
    if (replaced !== undefined) expectHigherBid(tx, replaced);
    else this.#checkRoom(tx, [...mine.values()], next);
    this.#nonces.set(toHex(from), next);
    this.#put({ ...tx, arrival: ++this.#arrivals });
  }

  #checkRoom(tx: SentTransaction, mine: readonly Waiting[], next: bigint): void {
    const isBlob = tx.transaction.type === 3;
    const other = mine.some((waiting) => (waiting.transaction.type === 3) !== isBlob);
    if (other) throw refuse("address already reserved");
    if (isBlob && tx.runnable.nonce > next + BigInt(mine.length)) throw refuse("nonce too high: nonce gap");
    const most = isBlob ? MOST_BLOB_TRANSACTIONS_OF_ONE_SENDER : MOST_OF_ONE_SENDER;
    if (mine.length >= most) throw refuse(`account limit exceeded: pooled ${mine.length} txs`);
    if (this.#byHash.size >= MOST_WAITING) throw refuse("txpool is full");
  }

  get(hash: Bytes): Waiting | undefined {
    return this.#byHash.get(toHex(hash));
  }

  get size(): number {
    return this.#byHash.size;
  }

  content(): PoolContent {
    const pending = new Map<string, Waiting[]>();
    const queued = new Map<string, Waiting[]>();
    for (const [sender, mine] of this.#bySender) {
      const ready = this.#ready(sender, mine);
      const rest = byNonce(mine).slice(ready.length);
      if (ready.length > 0) pending.set(sender, ready);
      if (rest.length > 0) queued.set(sender, rest);
    }
    return { pending, queued };
  }

  async nextNonce(address: Bytes): Promise<bigint> {
    return await this.#withAccount(address, (account) => {
      const sender = toHex(address);
      const mine = this.#bySender.get(sender);
      const nonce = account?.nonce ?? 0n;
      return mine === undefined ? nonce : nonce + BigInt(this.#ready(sender, mine).length);
    });
  }

  /** What could be mined on the head, best bids first. */
  select(
    baseFeePerGas: bigint,
    blobGasPrice: bigint,
    onRefused: (tx: SentTransaction, reason: Error) => void,
  ): Selection {
    const lists: Waiting[][] = [];
    for (const [sender, mine] of this.#bySender) {
      const ready = this.#ready(sender, mine);
      if (ready.length > 0) lists.push(ready);
    }
    return new Selection(lists, { baseFeePerGas, blobGasPrice }, onRefused);
  }

  /** Forgets what a block took up. */
  async settle(block: Block): Promise<void> {
    // A delegation moves the nonce of an account that sent nothing (EIP-7702).
    if (block.transactions.some(({ type }) => type === 4)) return this.review();
    for (const { hash, from, nonce } of block.transactions) {
      this.drop(hash);
      const sender = toHex(from);
      if (!this.#bySender.has(sender)) continue;
      this.#nonces.set(sender, uintToBigInt(nonce) + 1n);
      this.#dropBelow(sender, uintToBigInt(nonce) + 1n);
    }
  }

  /** Asks the state after the head what can still be mined. */
  async review(): Promise<void> {
    for (const sender of [...this.#bySender.keys()]) {
      await this.#withAccount(fromHex(sender as Hex), (account) => {
        const next = account?.nonce ?? 0n;
        this.#nonces.set(sender, next);
        this.#dropBelow(sender, next);
      });
    }
  }

  #dropBelow(sender: string, next: bigint): void {
    for (const { transaction, runnable } of [...(this.#bySender.get(sender)?.values() ?? [])]) {
      if (runnable.nonce < next) this.drop(transaction.hash);
    }
  }

  drop(hash: Bytes): boolean {
    const waiting = this.#byHash.get(toHex(hash));
    if (waiting === undefined) return false;
    const sender = toHex(waiting.transaction.from);
    const mine = this.#bySender.get(sender);
    mine?.delete(waiting.runnable.nonce);
    if (mine?.size === 0) {
      this.#bySender.delete(sender);
      this.#nonces.delete(sender);
    }
    this.#byHash.delete(toHex(hash));
    return true;
  }

  /** Everything that waits, as a snapshot keeps it. */
  all(): Waiting[] {
    return [...this.#byHash.values()];
  }

  /** Puts back what a snapshot kept, in place of what waits now; `write` has kept it across a restart. */
  async replaceAll(waiting: readonly Waiting[]): Promise<void> {
    this.#byHash.clear();
    this.#bySender.clear();
    this.#nonces.clear();
    for (const entry of waiting) this.#put(entry);
    await this.review();
  }

  /** Keeps a transaction across a restart, if it waits. One that is mined as it comes never needs it. */
  persist(hash: Bytes): void {
    const waiting = this.get(hash);
    if (waiting !== undefined) this.#chain.database.transaction(() => this.#writeOne(waiting));
  }

  /** Keeps these alone across a restart, inside the caller's transaction. */
  write(waiting: readonly Waiting[]): void {
    this.#chain.database.clearWaiting();
    for (const entry of waiting) this.#writeOne(entry);
  }

  #writeOne({ transaction, arrival, raw, sidecar }: Waiting): void {
    const stored = sidecar && encodeSidecar(sidecar);
    const { hash, from: sender } = transaction;
    this.#chain.database.putWaiting({ hash, arrival, sender, raw, sidecar: stored });
  }

  #put(waiting: Waiting): void {
    const sender = toHex(waiting.transaction.from);
    let mine = this.#bySender.get(sender);
    if (mine === undefined) {
      mine = new Map();
      this.#bySender.set(sender, mine);
    }
    const replaced = mine.get(waiting.runnable.nonce);
    if (replaced !== undefined) this.#byHash.delete(toHex(replaced.transaction.hash));
    mine.set(waiting.runnable.nonce, waiting);
    this.#byHash.set(toHex(waiting.transaction.hash), waiting);
  }

  /** The transactions of a sender that follow one another from its account's nonce on. */
  #ready(sender: string, mine: ReadonlyMap<bigint, Waiting>): Waiting[] {
    const ready: Waiting[] = [];
    for (let nonce = this.#nonces.get(sender) ?? 0n; ; nonce++) {
      const waiting = mine.get(nonce);
      if (waiting === undefined) return ready;
      ready.push(waiting);
    }
  }

  /** Does something with an account as it is after the head. Nothing else happens before it is done. */
  async #withAccount<T>(address: Bytes, use: (account: Account | undefined) => T): Promise<T> {
    for (;;) {
      const { head } = this.#chain;
      const account = await this.#chain.stateAfter(head).getAccount(new Address(address));
      if (head === this.#chain.head) return use(account);
    }
  }

  #nextRules() {
    const { number, timestamp } = this.#chain.head.header;
    return this.#chain.rules.at({ number: number + 1, timestamp });
  }
}

function byNonce(mine: ReadonlyMap<bigint, Waiting>): Waiting[] {
  return [...mine.values()].sort((a, b) => Number(a.runnable.nonce - b.runnable.nonce));
}
