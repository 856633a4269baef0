import type { Hash } from "../../chain/encoding/bytes.ts";
import { toHex } from "../../chain/encoding/hex.ts";
import type { SubmittedTransaction } from "./decodeRawTransaction.ts";
import { sizeOf } from "./transactionSize.ts";

export interface PooledTransaction extends SubmittedTransaction {
  readonly arrival: number;
}

/** Keyed by lower-case address; lists are in nonce order. */
type BySender = ReadonlyMap<string, readonly PooledTransaction[]>;

/** geth's terms: executable, and missing an earlier nonce. */
export interface PoolContent {
  readonly pending: BySender;
  readonly queued: BySender;
}

type ByNonce = ReadonlyMap<bigint, PooledTransaction>;

const NONE: ByNonce = new Map();

/** Transactions by hash, and by sender and nonce. Senders are lower-case hex. */
export class PooledTransactions {
  readonly #byHash = new Map<string, PooledTransaction>();
  readonly #bySender = new Map<string, Map<bigint, PooledTransaction>>();
  readonly #nonces = new Map<string, bigint>();

  #bytes = 0;

  get size(): number {
    return this.#byHash.size;
  }

  /** Including blobs. */
  get bytes(): number {
    return this.#bytes;
  }

  get(hash: Hash): PooledTransaction | undefined {
    return this.#byHash.get(toHex(hash));
  }

  all(): PooledTransaction[] {
    return [...this.#byHash.values()];
  }

  senders(): string[] {
    return [...this.#bySender.keys()];
  }

  has(sender: string): boolean {
    return this.#bySender.has(sender);
  }

  of(sender: string): ByNonce {
    return this.#bySender.get(sender) ?? NONE;
  }

  /** Replaces a transaction with the same sender and nonce. */
  put(tx: PooledTransaction): void {
    const sender = toHex(tx.transaction.from);
    let mine = this.#bySender.get(sender);
    if (mine === undefined) {
      mine = new Map();
      this.#bySender.set(sender, mine);
    }
    const replaced = mine.get(tx.runnable.nonce);
    if (replaced !== undefined) this.#forget(replaced);
    mine.set(tx.runnable.nonce, tx);
    this.#byHash.set(toHex(tx.transaction.hash), tx);
    this.#bytes += sizeOf(tx);
  }

  #forget(tx: PooledTransaction): void {
    if (this.#byHash.delete(toHex(tx.transaction.hash))) this.#bytes -= sizeOf(tx);
  }

  drop(hash: Hash): boolean {
    const tx = this.get(hash);
    if (tx === undefined) return false;
    const sender = toHex(tx.transaction.from);
    const mine = this.#bySender.get(sender);
    mine?.delete(tx.runnable.nonce);
    if (mine?.size === 0) {
      this.#bySender.delete(sender);
      this.#nonces.delete(sender);
    }
    this.#forget(tx);
    return true;
  }

  /** Account nonce at the head. */
  setNonce(sender: string, nonce: bigint): void {
    this.#nonces.set(sender, nonce);
  }

  /** Also drops lower nonces. */
  advance(sender: string, nonce: bigint): void {
    this.setNonce(sender, nonce);
    for (const { transaction, runnable } of [...this.of(sender).values()]) {
      if (runnable.nonce < nonce) this.drop(transaction.hash);
    }
  }

  clear(): void {
    this.#byHash.clear();
    this.#bytes = 0;
    this.#bySender.clear();
    this.#nonces.clear();
  }

  /** Consecutive from the account nonce. */
  executable(sender: string): PooledTransaction[] {
    const mine = this.of(sender);
    const executable: PooledTransaction[] = [];
    for (let nonce = this.#nonces.get(sender) ?? 0n; ; nonce++) {
      const tx = mine.get(nonce);
      if (tx === undefined) return executable;
      executable.push(tx);
    }
  }

  content(): PoolContent {
    const pending = new Map<string, PooledTransaction[]>();
    const queued = new Map<string, PooledTransaction[]>();
    for (const [sender, mine] of this.#bySender) {
      const executable = this.executable(sender);
      const rest = byNonce(mine).slice(executable.length);
      if (executable.length > 0) pending.set(sender, executable);
      if (rest.length > 0) queued.set(sender, rest);
    }
    return { pending, queued };
  }
}

function byNonce(mine: ByNonce): PooledTransaction[] {
  return [...mine.values()].sort((a, b) => Number(a.runnable.nonce - b.runnable.nonce));
}
