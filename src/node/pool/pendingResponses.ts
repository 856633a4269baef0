import type { Bytes } from "../../chain/encoding/bytes.ts";
import type { Chain } from "../chain.ts";
import type { Pool } from "./pool.ts";

/** A transaction whose sender is waiting, and its refusal. */
interface Sent {
  readonly hash: Bytes;
  refusal?: unknown;
}

/** Pooled transactions without a response yet. A refused one is never mined. */
export class PendingResponses {
  readonly #chain: Chain;
  readonly #pool: Pool;
  readonly #sent = new Set<Sent>();

  constructor(chain: Chain, pool: Pool) {
    this.#chain = chain;
    this.#pool = pool;
  }

  /** Waits for mining, and persists the transaction if it stays pending. Throws if it is refused. */
  async settle(hash: Bytes, mine: () => Promise<void>): Promise<void> {
    const sent: Sent = { hash };
    this.#sent.add(sent);
    try {
      // A failed block refuses all that wait for it.
      await mine().catch(() => undefined);
      if (sent.refusal !== undefined) throw sent.refusal;
      await this.#persist(hash);
    } finally {
      this.#sent.delete(sent);
    }
  }

  /** Called under the chain's lock when a block could not be made. */
  refuseAll(refusal: unknown): void {
    for (const sent of this.#sent) if (this.#drop(sent.hash)) sent.refusal = refusal;
  }

  async #persist(hash: Bytes): Promise<void> {
    try {
      this.#pool.persist(hash);
    } catch (error) {
      // A block in progress may include it.
      await this.#chain.withLock(() => {
        if (this.#drop(hash)) throw error;
      });
    }
  }

  /** Returns false if it is already mined. */
  #drop(hash: Bytes): boolean {
    return this.#chain.transaction(hash) === undefined && this.#pool.drop(hash);
  }
}
