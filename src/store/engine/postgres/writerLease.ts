import { setTimeout as delay } from "node:timers/promises";
import { ChainError } from "../../../chain/error.ts";
import { defined } from "../../../std/values.ts";
import type { Fence, WriteLock, Writer } from "../database.ts";
import { ConnectionPool } from "./connectionPool.ts";
import type { PostgresConnection } from "./postgresConnection.ts";

export const LEASE_TABLE = "writer_lease";

/** Seconds until another process may take over from a writer that is silent. */
const LEASE_SECONDS = 5;
const RENEW_INTERVAL = 1500;
const POLL_INTERVAL = 100;

interface LeaseOptions {
  readonly schema: string;
  /** For messages. */
  readonly place: string;
  readonly open: () => Promise<PostgresConnection>;
}

/** Renews the lease of an epoch in a transaction of its holder. */
export class LeaseFence implements Fence {
  readonly #sql: string;
  readonly #epoch: number;
  readonly #place: string;

  constructor({ schema, place }: Pick<LeaseOptions, "schema" | "place">, epoch: number) {
    this.#sql = extendSql(schema, UNTIL);
    this.#epoch = epoch;
    this.#place = place;
  }

  async check(writer: Writer): Promise<void> {
    const rows = await writer.all(this.#sql, this.#epoch);
    if (rows.length === 0) throw new ChainError("store_locked", `another oriel writes to ${this.#place} now`);
  }
}

/**
 * A row rather than an advisory lock, which belongs to a session and is lost behind a connection pooler. Each takeover
 * increments the epoch; each transaction of the writer renews the lease of its epoch, or fails.
 */
export class WriterLease extends LeaseFence implements WriteLock {
  readonly token: number;
  readonly #options: LeaseOptions;
  readonly #timer: NodeJS.Timeout;
  readonly #connections: ConnectionPool;
  #isReleased = false;

  private constructor(options: LeaseOptions, epoch: number) {
    super(options, epoch);
    this.#options = options;
    this.#connections = new ConnectionPool(1, options.open);
    this.token = epoch;
    this.#timer = setInterval(() => void this.#renew(), RENEW_INTERVAL).unref();
  }

  /** Waits for the lease of a writer that may be dead; refuses if it is renewed meanwhile. */
  static async acquire(options: LeaseOptions): Promise<WriterLease> {
    const { schema, place, open } = options;
    const connection = await open();
    try {
      let seen: number | undefined;
      for (;;) {
        const [taken] = await connection.all<[number]>(takeSql(schema), []);
        if (taken !== undefined) return new WriterLease(options, taken[0]);
        const [row] = await connection.all<[number]>(readSql(schema), []);
        const renewedAt = defined(row)[0];
        seen ??= renewedAt;
        if (renewedAt !== seen)
          throw new ChainError("store_locked", `another oriel is writing to ${place}; stop it first`);
        await delay(POLL_INTERVAL);
      }
    } finally {
      await connection.close();
    }
  }

  async release(): Promise<void> {
    if (this.#isReleased) return;
    this.#isReleased = true;
    clearInterval(this.#timer);
    try {
      await this.#update("'-infinity', epoch = epoch + 1");
    } finally {
      await this.#connections.close();
    }
  }

  /** The writer also renews it with every transaction. */
  async #renew(): Promise<void> {
    await this.#update(UNTIL).catch(() => {});
  }

  async #update(until: string): Promise<void> {
    const sql = extendSql(this.#options.schema, until);
    await this.#connections.use((connection) => connection.all(sql, [this.token]));
  }
}

function takeSql(schema: string): string {
  return `UPDATE ${schema}.${LEASE_TABLE} SET epoch = epoch + 1, until = ${UNTIL} WHERE until < clock_timestamp() RETURNING epoch`;
}

/** In microseconds; changes with every renewal. */
function readSql(schema: string): string {
  return `SELECT (extract(epoch FROM until) * 1000000)::bigint FROM ${schema}.${LEASE_TABLE}`;
}

function extendSql(schema: string, until: string): string {
  return `UPDATE ${schema}.${LEASE_TABLE} SET until = ${until} WHERE epoch = ? RETURNING epoch`;
}

const UNTIL = `clock_timestamp() + interval '${LEASE_SECONDS} seconds'`;
