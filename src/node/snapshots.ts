import type { Bytes } from "../chain/encoding/bytes.ts";
import { dropOldest } from "../std/maps.ts";
import type { Chain } from "./chain.ts";
import type { Clock } from "./clock.ts";
import { restoreGenesis } from "./loadBlocks.ts";
import type { Pool } from "./pool/pool.ts";
import type { PooledTransaction } from "./pool/pooledTransactions.ts";

interface Snapshot {
  readonly number: number;
  readonly stateRoot: Bytes;
  readonly pooled: readonly PooledTransaction[];
  readonly clock: Clock["state"];
}

const MAX_SNAPSHOTS = 10_000;

/** evm_snapshot: head, state, pool and time. In memory. */
export class Snapshots {
  readonly #chain: Chain;
  readonly #pool: Pool;
  readonly #clock: Clock;
  readonly #taken = new Map<number, Snapshot>();
  #last = 0;

  constructor(chain: Chain, pool: Pool, clock: Clock) {
    this.#chain = chain;
    this.#pool = pool;
    this.#clock = clock;
  }

  take(): number {
    const { header, stateRoot } = this.#chain.head;
    const id = ++this.#last;
    const snapshot = { number: header.number, stateRoot, pooled: this.#pool.all(), clock: this.#clock.state };
    this.#taken.set(id, snapshot);
    dropOldest(this.#taken, MAX_SNAPSHOTS);
    return id;
  }

  /** Consumes this snapshot and later ones. Returns whether it exists. */
  async revert(id: number): Promise<boolean> {
    const snapshot = this.#taken.get(id);
    if (snapshot === undefined) return false;
    const used = [...this.#taken].filter(([taken]) => taken >= id);
    for (const [taken] of used) this.#taken.delete(taken);
    try {
      await this.#return(snapshot);
    } catch (error) {
      for (const [taken, moment] of used) this.#taken.set(taken, moment);
      throw error;
    }
    return true;
  }

  /** Drops snapshots of removed blocks. */
  forgetAbove(number: number): void {
    for (const [id, snapshot] of this.#taken) if (snapshot.number > number) this.#taken.delete(id);
  }

  /** Back to the node's own genesis, with an empty pool and machine time. */
  async reset(): Promise<void> {
    this.#taken.clear();
    const { stateRoot } = this.#chain.expectBlock(0).header;
    const clock = { offset: 0, next: undefined, distance: undefined };
    await this.#return({ number: 0, stateRoot, pooled: [], clock }, () => restoreGenesis(this.#chain.database));
  }

  async #return({ number, stateRoot, pooled, clock }: Snapshot, write: () => void = () => {}): Promise<void> {
    await this.#chain.rewind(number, {
      stateRoot,
      write: () => {
        write();
        this.#pool.write(pooled);
      },
      done: () => {
        this.#clock.restore(clock);
        return this.#pool.replaceAll(pooled);
      },
    });
  }
}
