import { Account, Address } from "@ethereumjs/util";
import type { Block } from "../../chain/block/block.ts";
import type { AddressBytes, Bytes, Hash } from "../../chain/encoding/bytes.ts";
import { EMPTY } from "../../chain/encoding/bytes.ts";
import { fromHex, toHex } from "../../chain/encoding/hex.ts";
import { uintToBigInt } from "../../chain/encoding/uint.ts";
import { checkSidecar } from "../blobs/checkSidecar.ts";
import { decodeSidecar, encodeSidecar } from "../blobs/encodeSidecar.ts";
import type { KzgVerifier } from "../blobs/verifySidecar.ts";
import { verifySidecar } from "../blobs/verifySidecar.ts";
import { decodeSigned } from "../block/toTransaction.ts";
import type { Chain } from "../chain.ts";
import { checkFunds, checkTransaction, costOf } from "./checkTransaction.ts";
import type { SubmittedTransaction } from "./decodeRawTransaction.ts";
import { decodeRawTransaction, maxBlobs, refuse } from "./decodeRawTransaction.ts";
import { makeRoom, POOL_LIMITS, trim } from "./eviction.ts";
import type { PoolContent, PooledTransaction } from "./pooledTransactions.ts";
import { PooledTransactions } from "./pooledTransactions.ts";
import { expectHigherBid } from "./replacement.ts";
import { Selection } from "./selection.ts";

interface PoolOptions {
  readonly chain: Chain;
  readonly kzg: KzgVerifier;
  /** Accepts cell proofs (EIP-7594) beside blob proofs. */
  readonly acceptsCellProofs: boolean;
}

/** The transaction pool: validates, keeps until mined, and survives restarts. */
export class Pool {
  readonly #chain: Chain;
  readonly #kzg: KzgVerifier;
  readonly #acceptsCellProofs: boolean;
  readonly #pooled = new PooledTransactions();
  readonly #turns = new Map<string, Promise<void>>();
  readonly #watchers = new Set<(hash: Hash) => void>();
  #arrivals = 0;
  minFee: () => bigint | undefined = () => undefined;

  constructor({ chain, kzg, acceptsCellProofs }: PoolOptions) {
    this.#chain = chain;
    this.#kzg = kzg;
    this.#acceptsCellProofs = acceptsCellProofs;
  }

  /** Loads persisted transactions and drops stale ones. */
  async restore(): Promise<void> {
    const rules = this.#nextRules();
    const { database } = this.#chain;
    const rows = database.pooled();
    for (const { arrival, sender, raw, sidecar } of rows) {
      const signed = decodeSigned(raw, rules, sender);
      this.#arrivals = Math.max(this.#arrivals, arrival);
      this.#pooled.put({ ...signed, arrival, ...(sidecar && { sidecar: decodeSidecar(sidecar) }) });
    }
    await this.review();
    for (const { transaction } of trim(this.#pooled)) this.drop(transaction.hash);
    if (this.size !== rows.length) database.transaction(() => this.write(this.all()));
  }

  async addRaw(bytes: Bytes): Promise<Hash> {
    const tx = decodeRawTransaction(bytes, this.#nextRules(), this.#acceptsCellProofs);
    await this.add(tx);
    return tx.transaction.hash;
  }

  async add(tx: SubmittedTransaction): Promise<void> {
    this.#expectNew(tx);
    checkTransaction(tx, this.#chain.head.header, this.#nextRules());
    this.#expectFee(tx);
    if (tx.transaction.type === 3) await this.#checkBlobs(tx);
    await this.#withAccount(tx.transaction.from, (account) => this.#admit(tx, account ?? new Account()));
    for (const watch of this.#watchers) watch(tx.transaction.hash);
  }

  #expectFee({ transaction }: SubmittedTransaction): void {
    const min = this.minFee();
    const offered = uintToBigInt(transaction.maxFeePerGas ?? transaction.gasPrice ?? EMPTY);
    if (min === undefined || offered >= min) return;
    const details = `address ${toHex(transaction.from)}, maxFeePerGas: ${offered}, baseFee: ${min}`;
    throw refuse(`max fee per gas less than block base fee: ${details}`);
  }

  /** Sets a minimum fee; undefined accepts everything. */
  refuseBelow(leastFee: () => bigint | undefined): void {
    this.minFee = leastFee;
  }

  #expectNew({ transaction }: SubmittedTransaction): void {
    if (this.#pooled.get(transaction.hash) !== undefined) throw refuse("already known");
  }

  /** Serializes senders that need an account's next nonce. */
  async withSenderLock<T>(sender: AddressBytes, send: () => Promise<T>): Promise<T> {
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

  /** Returns a function that unsubscribes. */
  watch(watcher: (hash: Hash) => void): () => void {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  }

  async #checkBlobs(tx: SubmittedTransaction): Promise<void> {
    const { sidecar } = tx;
    checkSidecar(tx.transaction.blobVersionedHashes ?? [], sidecar, { maxBlobs: maxBlobs(this.#nextRules()) });
    await verifySidecar(this.#kzg, sidecar);
  }

  /** Checks against the account and its pending transactions, and adds synchronously: others may be on their way. */
  #admit(tx: SubmittedTransaction, { nonce: next, balance }: Account): void {
    const { from } = tx.transaction;
    const { nonce } = tx.runnable;
    this.#expectNew(tx);
    if (nonce < next) throw refuse(`nonce too low: next nonce ${next}, tx nonce ${nonce}`);
    const mine = this.#pooled.of(toHex(from));
    const replaced = mine.get(nonce);
    let queued = 0n;
    for (const pooled of mine.values()) if (pooled !== replaced) queued += costOf(pooled);
    checkFunds(tx, balance, queued);
    if (replaced !== undefined) expectHigherBid(tx, replaced);
    else this.#findRoom(tx, [...mine.values()], next);
    this.#pooled.setNonce(toHex(from), next);
    this.#pooled.put({ ...tx, arrival: ++this.#arrivals });
  }

  /** A higher bid evicts others; executable transactions take precedence over queued ones. */
  #findRoom(tx: SubmittedTransaction, mine: readonly PooledTransaction[], next: bigint): void {
    const { type, from } = tx.transaction;
    const isBlob = type === 3;
    if (mine.some((pooled) => (pooled.transaction.type === 3) !== isBlob)) throw refuse("address already reserved");
    if (isBlob && tx.runnable.nonce > next + BigInt(mine.length)) throw refuse("nonce too high: nonce gap");
    const executable = mine.length === 0 ? 0 : this.#pooled.executable(toHex(from)).length;
    const isExecutable = tx.runnable.nonce <= next + BigInt(executable);
    const have = isBlob ? mine.length : isExecutable ? executable : mine.length - executable;
    if (have >= maxPerSender(isBlob, isExecutable)) throw refuse(`account limit exceeded: pooled ${have} txs`);
    const evicted = makeRoom(this.#pooled, tx, isExecutable);
    if (evicted === undefined) throw refuse("txpool is full");
    for (const { transaction } of evicted) this.#evict(transaction.hash);
  }

  #evict(hash: Hash): void {
    this.drop(hash);
    this.#chain.database.dropPooled(hash);
  }

  get(hash: Hash): PooledTransaction | undefined {
    return this.#pooled.get(hash);
  }

  get size(): number {
    return this.#pooled.size;
  }

  content(): PoolContent {
    return this.#pooled.content();
  }

  async nextNonce(address: AddressBytes): Promise<bigint> {
    return await this.#withAccount(address, (account) => {
      return (account?.nonce ?? 0n) + BigInt(this.#pooled.executable(toHex(address)).length);
    });
  }

  /** Executable transactions, best bids first. */
  select(
    baseFeePerGas: bigint,
    blobGasPrice: bigint,
    onRefused: (tx: SubmittedTransaction, reason: Error) => void,
  ): Selection {
    const lists = this.#pooled.senders().map((sender) => this.#pooled.executable(sender));
    return new Selection(lists, { baseFeePerGas, blobGasPrice }, onRefused);
  }

  async settle(block: Block): Promise<void> {
    // An authorization also advances nonces of accounts that sent nothing (EIP-7702).
    if (block.transactions.some(({ type }) => type === 4)) return this.review();
    for (const { hash, from, nonce } of block.transactions) {
      this.drop(hash);
      const sender = toHex(from);
      if (this.#pooled.has(sender)) this.#pooled.advance(sender, uintToBigInt(nonce) + 1n);
    }
  }

  async review(): Promise<void> {
    for (const sender of this.#pooled.senders()) {
      await this.#withAccount(fromHex(sender), (account) => this.#pooled.advance(sender, account?.nonce ?? 0n));
    }
  }

  drop(hash: Hash): boolean {
    return this.#pooled.drop(hash);
  }

  all(): PooledTransaction[] {
    return this.#pooled.all();
  }

  /** Replaces the pool by a snapshot's; `write` has persisted it. */
  async replaceAll(transactions: readonly PooledTransaction[]): Promise<void> {
    this.#pooled.clear();
    for (const tx of transactions) this.#pooled.put(tx);
    await this.review();
  }

  /** Persists a pending transaction. One mined at once never needs it. */
  persist(hash: Hash): void {
    const tx = this.get(hash);
    if (tx !== undefined) this.#chain.database.transaction(() => this.#writeOne(tx));
  }

  /** Persists exactly these, inside the caller's transaction. */
  write(transactions: readonly PooledTransaction[]): void {
    this.#chain.database.clearPooled();
    for (const tx of transactions) this.#writeOne(tx);
  }

  #writeOne({ transaction, arrival, raw, sidecar }: PooledTransaction): void {
    const stored = sidecar && encodeSidecar(sidecar);
    const { hash, from: sender } = transaction;
    this.#chain.database.putPooled({ hash, arrival, sender, raw, sidecar: stored });
  }

  /** Reads the account at the head and calls `use` synchronously. */
  async #withAccount<T>(address: AddressBytes, use: (account: Account | undefined) => T): Promise<T> {
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

function maxPerSender(isBlob: boolean, isExecutable: boolean): number {
  if (isBlob) return POOL_LIMITS.blobTransactionsOfOneSender;
  return isExecutable ? POOL_LIMITS.executableOfOneSender : POOL_LIMITS.queuedOfOneSender;
}
