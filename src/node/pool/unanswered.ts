import type { Bytes } from "../../chain/encoding/bytes.ts";
import type { Chain } from "../chain.ts";
import type { Pool } from "./pool.ts";

/** A transaction whose sender waits for an answer, and why it is refused, if it is. */
interface Sent {
  readonly hash: Bytes;
  refusal?: unknown;
}

/** The transactions in the pool whose senders have no answer yet. One that is refused is never mined. */
export class Unanswered {
  readonly #chain: Chain;
  readonly #pool: Pool;
  readonly #sent = new Set<Sent>();

  constructor(chain: Chain, pool: Pool) {
    this.#chain = chain;
    this.#pool = pool;
  }

  /** Waits until a transaction may be mined, and keeps it across a restart if it is not; throws why it is refused. */
  async settle(hash: Bytes, mine: () => Promise<void>): Promise<void> {
    const sent: Sent = { hash };
    this.#sent.add(sent);
    try {
      // A block that fails refuses all that wait for it: other blocks made meanwhile are no concern of this one.
      await mine().catch(() => undefined);
      if (sent.refusal !== undefined) throw sent.refusal;
      await this.#persist(hash);
    } finally {
      this.#sent.delete(sent);
    }
  }

  /** Refuses all, as a block could not be made. To be called while nobody changes the chain. */
  refuseAll(refusal: unknown): void {
    for (const sent of this.#sent) if (this.#drop(sent.hash)) sent.refusal = refusal;
  }

  async #persist(hash: Bytes): Promise<void> {
    try {
      this.#pool.persist(hash);
    } catch (error) {
      // A block that is being made may have it.
      await this.#chain.inTurn(() => {
        if (this.#drop(hash)) throw error;
      });
    }
  }

  /** Answers false where it is mined already. */
  #drop(hash: Bytes): boolean {
    return this.#chain.transaction(hash) === undefined && this.#pool.drop(hash);
  }
}
