import { setTimeout as delay } from "node:timers/promises";
import { ChainError } from "../../../chain/error.ts";
import type { Fence, LockOptions, LockToken, WriteLock, Writer, WriterInfo } from "../database.ts";
import { ConnectionPool } from "./connectionPool.ts";
import type { LeaseOptions } from "./leaseTable.ts";
import { LeaseTable } from "./leaseTable.ts";
import type { PostgresConnection } from "./postgresConnection.ts";

const RENEW_INTERVAL = 1500;
const POLL_INTERVAL = 100;
const STANDBY_INTERVAL = 500;

/** Renews the lease of an epoch in a transaction of its holder. */
export class LeaseFence implements Fence {
  readonly #table: LeaseTable;
  readonly #token: LockToken;

  constructor(table: LeaseTable, token: LockToken) {
    this.#table = table;
    this.#token = token;
  }

  async check(writer: Writer): Promise<void> {
    if (!(await this.#table.extend(writer, this.#token)))
      throw new ChainError("store_locked", `another oriel writes to ${this.#table.place} now`);
  }
}

/**
 * A row rather than an advisory lock, which belongs to a session and is lost behind a connection pooler. Each takeover
 * increments the epoch; each transaction of the writer renews the lease of its epoch, or fails.
 */
export class WriterLease extends LeaseFence implements WriteLock {
  readonly token: LockToken;
  readonly lost: Promise<void>;
  readonly #table: LeaseTable;
  readonly #timer: NodeJS.Timeout;
  readonly #connections: ConnectionPool;
  readonly #loss = Promise.withResolvers<void>();
  #isRenewing = false;
  #isReleased = false;

  private constructor(table: LeaseTable, token: LockToken, open: () => Promise<PostgresConnection>) {
    super(table, token);
    this.#table = table;
    this.#connections = new ConnectionPool(1, open);
    this.token = token;
    this.lost = this.#loss.promise;
    this.#timer = setInterval(() => void this.#renew(), RENEW_INTERVAL).unref();
  }

  /** Waits for the lease of a writer that may be dead. Refuses if it is renewed meanwhile, unless it may stand by. */
  static async acquire(options: LeaseOptions, { name = "", standby }: LockOptions = {}): Promise<WriterLease> {
    const table = new LeaseTable(options);
    const connections = new ConnectionPool(1, options.open);
    const take = () => connections.use((connection) => table.take(connection, name));
    try {
      let taken = await take();
      let holder: WriterInfo | undefined;
      while (!("epoch" in taken)) {
        if (standby === undefined && holder !== undefined && taken.age < holder.age) throw held(options.place);
        if (taken.name !== holder?.name) standby?.onWait(taken.name);
        holder = taken;
        const milliseconds = standby === undefined ? POLL_INTERVAL : STANDBY_INTERVAL;
        await delay(milliseconds, undefined, { signal: standby?.signal });
        // A server that restarts is waited for.
        taken = await take().catch((error: unknown) => (standby === undefined ? Promise.reject(error) : taken));
      }
      return new WriterLease(table, taken, options.open);
    } finally {
      await connections.close();
    }
  }

  /** If the database cannot be reached, the lease expires. */
  async release(): Promise<void> {
    if (this.#isReleased) return;
    this.#isReleased = true;
    clearInterval(this.#timer);
    await this.#connections.use((connection) => this.#table.end(connection, this.token)).catch(() => {});
    await this.#connections.close();
  }

  /** The writer also renews it with every transaction. */
  async #renew(): Promise<void> {
    if (this.#isRenewing || this.#isReleased) return;
    this.#isRenewing = true;
    try {
      if (!(await this.#connections.use((connection) => this.#table.renew(connection, this.token))))
        this.#loss.resolve();
    } catch {
      // Tried again; another process may take over meanwhile.
    } finally {
      this.#isRenewing = false;
    }
  }
}

function held(place: string): ChainError {
  return new ChainError("store_locked", `another oriel is writing to ${place}; stop it first`);
}
