import { ChainError } from "../../../chain/error.ts";
import type { PostgresConnection } from "./postgresConnection.ts";

/** Milliseconds to wait for a free connection before the request is refused. */
const ACQUIRE_TIMEOUT = 10_000;

type Waiter = PromiseWithResolvers<PostgresConnection>;

/** A bounded number of connections, each used by one transaction at a time. */
export class ConnectionPool {
  readonly #open: () => Promise<PostgresConnection>;
  readonly #size: number;
  readonly #idle: PostgresConnection[] = [];
  readonly #waiting: Waiter[] = [];
  #count = 0;
  #isClosed = false;
  readonly #drained = Promise.withResolvers<void>();

  constructor(size: number, open: () => Promise<PostgresConnection>) {
    this.#size = size;
    this.#open = open;
  }

  async use<T>(work: (connection: PostgresConnection) => Promise<T>): Promise<T> {
    const connection = await this.#acquire();
    try {
      return await work(connection);
    } finally {
      this.#release(connection);
    }
  }

  /** Waits for the transactions in progress. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const connection of this.#idle.splice(0)) this.#discard(connection);
    if (this.#count > 0) await this.#drained.promise;
  }

  async #acquire(): Promise<PostgresConnection> {
    if (this.#isClosed) throw new ChainError("internal", "the database is closed");
    for (let idle = this.#idle.pop(); idle !== undefined; idle = this.#idle.pop()) {
      if (idle.isUsable) return idle;
      this.#discard(idle);
    }
    if (this.#count >= this.#size) return this.#wait();
    this.#count++;
    try {
      return await this.#open();
    } catch (error) {
      this.#count--;
      throw error;
    }
  }

  #wait(): Promise<PostgresConnection> {
    const waiter = Promise.withResolvers<PostgresConnection>();
    this.#waiting.push(waiter);
    const timer = setTimeout(() => {
      this.#waiting.splice(this.#waiting.indexOf(waiter), 1);
      waiter.reject(new ChainError("store_unavailable", "all connections to the database are busy"));
    }, ACQUIRE_TIMEOUT);
    return waiter.promise.finally(() => clearTimeout(timer));
  }

  #release(connection: PostgresConnection): void {
    const waiter = this.#waiting.shift();
    if (!connection.isUsable || (this.#isClosed && waiter === undefined)) {
      this.#discard(connection);
      if (waiter !== undefined) this.#acquire().then(waiter.resolve, waiter.reject);
    } else if (waiter === undefined) this.#idle.push(connection);
    else waiter.resolve(connection);
  }

  #discard(connection: PostgresConnection): void {
    void connection.close().finally(() => {
      this.#count--;
      if (this.#isClosed && this.#count === 0) this.#drained.resolve();
    });
  }
}
