import { ChainError } from "../../../chain/error.ts";
import type { PostgresConnection } from "./postgresConnection.ts";

/** Milliseconds to wait for a free connection before the request is refused. */
const ACQUIRE_TIMEOUT = 10_000;

type Connection = Pick<PostgresConnection, "isUsable" | "close">;

/** A bounded number of connections, each used by one transaction at a time. */
export class ConnectionPool<C extends Connection = PostgresConnection> {
  readonly #open: () => Promise<C>;
  readonly #size: number;
  readonly #idle: C[] = [];
  readonly #waiting: PromiseWithResolvers<C>[] = [];
  readonly #closing = new Set<Promise<void>>();
  /** Connections that are open or being opened. */
  #count = 0;
  #isClosed = false;
  readonly #drained = Promise.withResolvers<void>();

  constructor(size: number, open: () => Promise<C>) {
    this.#size = size;
    this.#open = open;
  }

  async use<T>(work: (connection: C) => Promise<T>): Promise<T> {
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
    await Promise.all(this.#closing);
  }

  async #acquire(): Promise<C> {
    if (this.#isClosed) throw new ChainError("internal", "the database is closed");
    for (let idle = this.#idle.pop(); idle !== undefined; idle = this.#idle.pop()) {
      if (idle.isUsable) return idle;
      this.#discard(idle);
    }
    return this.#count < this.#size ? this.#openOne() : this.#wait();
  }

  async #openOne(): Promise<C> {
    this.#count++;
    try {
      return await this.#open();
    } catch (error) {
      this.#free();
      throw error;
    }
  }

  #wait(): Promise<C> {
    const waiter = Promise.withResolvers<C>();
    this.#waiting.push(waiter);
    const timer = setTimeout(() => {
      this.#waiting.splice(this.#waiting.indexOf(waiter), 1);
      waiter.reject(new ChainError("store_unavailable", "all connections to the database are busy"));
    }, ACQUIRE_TIMEOUT);
    return waiter.promise.finally(() => clearTimeout(timer));
  }

  #release(connection: C): void {
    if (!connection.isUsable || (this.#isClosed && this.#waiting.length === 0)) this.#discard(connection);
    else if (this.#waiting.length === 0) this.#idle.push(connection);
    else this.#waiting.shift()?.resolve(connection);
  }

  #discard(connection: C): void {
    const closing = connection.close().finally(() => this.#closing.delete(closing));
    this.#closing.add(closing);
    this.#free();
  }

  /** Another connection may be opened, for the one that waits longest. */
  #free(): void {
    this.#count--;
    const waiter = this.#waiting.shift();
    if (waiter !== undefined) this.#openOne().then(waiter.resolve, waiter.reject);
    else if (this.#isClosed && this.#count === 0) this.#drained.resolve();
  }
}
