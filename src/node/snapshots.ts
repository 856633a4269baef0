import type { Bytes } from "../chain/encoding/bytes.ts";
import { dropOldest } from "../std/dropOldest.ts";
import type { Chain } from "./chain.ts";
import type { Clock } from "./clock.ts";
import type { Pool } from "./pool/pool.ts";
import type { PooledTransaction } from "./pool/pooledTransactions.ts";

interface Snapshot {
  readonly number: number;
  readonly stateRoot: Bytes;
  readonly pooled: readonly PooledTransaction[];
  readonly clock: Clock["state"];
}

const MAX_SNAPSHOTS = 10_000;

/** Moments of the chain to go back to: its head and state, the pool, and the time. They last as long as the node. */
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

  /** Goes back to a moment, which is used up by it, as are the later ones. Answers whether there is such a moment. */
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

  /** Forgets the moments whose block is no longer there. */
  forgetAbove(number: number): void {
    for (const [id, snapshot] of this.#taken) if (snapshot.number > number) this.#taken.delete(id);
  }

  /** Back to the first block, with an empty pool and the machine's own time. */
  async reset(): Promise<void> {
    this.#taken.clear();
    const { stateRoot } = this.#chain.expectBlock(0).header;
    await this.#return({
      number: 0,
      stateRoot,
      pooled: [],
      clock: { offset: 0, next: undefined, distance: undefined },
    });
  }

  async #return({ number, stateRoot, pooled, clock }: Snapshot): Promise<void> {
    await this.#chain.rewind(number, {
      stateRoot,
      write: () => this.#pool.write(pooled),
      done: () => {
        this.#clock.restore(clock);
        return this.#pool.replaceAll(pooled);
      },
    });
  }
}
